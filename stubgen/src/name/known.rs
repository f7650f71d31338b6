//! Names of types that scripts have already. A type of a tool must not take one: an interface of
//! the same name would be joined with it.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Ours, TypeScript's own words, and what its ECMAScript library declares.
const KNOWN: [&str; 3] = [OURS, WORDS, LIBRARY];

const OURS: &str = "
    AudioContent BlobResource CallOptions CallToolResult ContentBlock EmbeddedResource
    ImageContent Resource ResourceContents ResourceLink TextContent TextResource ToolError ToolErrorKind
    ToolResult
";

const WORDS: &str = "
    any bigint boolean never number object string symbol undefined unknown void type declare
    namespace module global abstract readonly
";

const LIBRARY: &str = "
    AbortController AbortSignal AggregateError Array ArrayBuffer ArrayBufferLike
    ArrayBufferTypes ArrayBufferView ArrayIterator ArrayLike AsyncDisposable
    AsyncDisposableStack AsyncFunction AsyncGenerator AsyncGeneratorFunction AsyncIterable
    AsyncIterableIterator AsyncIterator AsyncIteratorObject Atomics Awaited BigInt BigInt64Array
    BigUint64Array Boolean BuiltinIteratorReturn CallableFunction Capitalize Console ConcatArray
    ConstructorParameters Crypto DataView Date Disposable DisposableStack Error ErrorOptions
    EvalError Event EventTarget Exclude Extract FinalizationRegistry FlatArray Float16Array
    Float32Array Float64Array Function Generator GeneratorFunction IArguments ImportAttributes
    ImportCallOptions ImportMeta Infinity InstanceType Int16Array Int32Array Int8Array Intl
    Iterable IterableIterator Iterator IteratorObject IteratorResult IteratorReturnResult
    IteratorYieldResult JSON Lowercase Map MapConstructor MapIterator Math NaN NewableFunction
    NoInfer NonNullable Number Object Omit OmitThisParameter Parameters Partial Performance Pick
    Promise PromiseConstructor PromiseConstructorLike PromiseFulfilledResult PromiseLike
    PromiseRejectedResult PromiseSettledResult PromiseWithResolvers PropertyDescriptor
    PropertyDescriptorMap PropertyKey Proxy ProxyHandler RangeError Readonly ReadonlyArray
    ReadonlyMap ReadonlySet ReadonlySetLike Record ReferenceError Reflect RegExp RegExpExecArray
    RegExpIndicesArray RegExpMatchArray RegExpStringIterator Required ReturnType Set SetIterator
    SharedArrayBuffer String StringIterator SuppressedError Symbol SyntaxError
    TemplateStringsArray TextDecoder TextEncoder ThisParameterType ThisType TypeError
    TypedPropertyDescriptor URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array
    Uint8ClampedArray Uncapitalize Uppercase WeakKey WeakKeyTypes WeakMap WeakRef WeakSet
    WebAssembly
";

/// Whether `name` is the name of a type that every script has.
pub(super) fn is_known_type(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> =
        LazyLock::new(|| KNOWN.iter().flat_map(|names| names.split_whitespace()).collect());
    NAMES.contains(name)
}
