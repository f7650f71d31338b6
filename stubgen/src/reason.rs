//! Why a tool has no declaration.

/// Why a tool is unavailable. The other tools are not affected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// Two tools of one server have the same name; the first one is declared.
    #[error("another tool of this server has the same name")]
    Duplicate,
    /// The input schema admits no object, so the tool cannot be called.
    #[error("the input schema admits no object")]
    NoInput,
    /// A schema is written in a dialect that is not known.
    #[error("the schema's dialect `{dialect}` is not supported")]
    UnknownDialect {
        /// The value of `$schema`.
        dialect: String,
    },
    /// A reference leads out of the document; it is never fetched.
    #[error("the reference `{reference}` leads out of the schema")]
    ExternalReference {
        /// The value of `$ref`.
        reference: String,
    },
    /// A reference leads to nothing in the document.
    #[error("the reference `{reference}` leads nowhere")]
    UnresolvedReference {
        /// The value of `$ref`.
        reference: String,
    },
    /// Schemas are nested more deeply than `Options::depth`.
    #[error("the schema is nested more than {limit} deep, the limit of `depth`")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// There are more schemas, written or by reference, than `Options::subschemas`.
    #[error("the schema has more than {limit} parts, the limit of `subschemas`")]
    TooManySubschemas {
        /// The limit.
        limit: usize,
    },
    /// The schema is longer than `Options::schema_bytes`.
    #[error("the schema is longer than {limit} bytes, the limit of `schema_bytes`")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The declaration would be longer than `Options::declaration_bytes`.
    #[error("the declaration is {bytes} bytes, `declaration_bytes` allows {limit}")]
    DeclarationTooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
}
