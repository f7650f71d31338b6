/** What a tool without an output schema gives. Converts to its text. */
interface ToolResult {
  /** All text blocks, joined by line ends. */
  text: string;
  content: ContentBlock[];
  structuredContent?: unknown;
  /** The text, parsed as JSON. */
  json<T = unknown>(): T;
  toString(): string;
}

/** A part of a tool's result. */
type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource_link"; uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number }
  | { type: "resource"; resource: { uri: string; mimeType?: string; text?: string; blob?: string } };

/** The whole answer of a tool, as its server gave it. */
interface CallToolResult {
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

type ToolErrorKind =
  | "execution"
  | "protocol"
  | "invalid_input"
  | "invalid_output"
  | "denied"
  | "timeout"
  | "cancelled"
  | "unavailable"
  | "limit";

/** Thrown by every call that fails. */
declare class ToolError extends Error {
  readonly tool: string;
  readonly server: string;
  readonly kind: ToolErrorKind;
  /** The code of a JSON-RPC error. */
  readonly code?: number;
  readonly content?: ContentBlock[];
  readonly structuredContent?: unknown;
}

interface AbortSignal {
  readonly aborted: boolean;
}

interface CallOptions {
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** What a server has to read. */
interface Resource {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
}

/** A part of a resource: `text`, or `blob` in base64. */
interface ResourceContents {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

interface SearchOptions extends CallOptions {
  server?: string | string[];
  /** Only tools that say that they change nothing. */
  readOnly?: boolean;
  /** 1 to 50; otherwise 10. */
  limit?: number;
  /** How much is told of each; otherwise "summary". */
  detail?: "name" | "summary" | "full";
  /** The query is a regular expression, for names, descriptions and parameters. */
  regex?: boolean;
}

/** A tool; call it with `mcp.callTool(name, input)`, or by its name where that is in the script. */
interface FoundTool {
  name: string;
  server: string;
  /** From detail "summary" on. */
  summary?: string;
  readOnly?: boolean;
  /** With detail "full": TypeScript, as the script's functions are declared, and the schemas. */
  declaration?: string;
  inputSchema?: object;
  outputSchema?: object;
}

interface ServerInfo {
  name: string;
  state: "ready" | "idle" | "off" | "connecting" | "failed";
  tools: number;
}

/** Calls tools by names that are known only when the script runs, finds tools, reads
 * resources, and shows content. */
declare const mcp: {
  /** What the tool's own function gives; `name` is that function's name. */
  callTool<T = unknown>(name: string, input?: object, options?: CallOptions): Promise<T>;
  /** The whole answer; it does not throw if the tool says `isError`. */
  callToolRaw(name: string, input?: object, options?: CallOptions): Promise<CallToolResult>;
  /** Reads a resource of a server, for example what a `resource_link` of a result names. */
  readResource(server: string, uri: string, options?: CallOptions): Promise<ResourceContents[]>;
  listResources(server: string, options?: CallOptions): Promise<Resource[]>;
  /** The tools that fit best come first. */
  searchTools(query: string, options?: SearchOptions): Promise<FoundTool[]>;
  /** All about one tool, with its whole description. */
  describeTool(name: string, options?: CallOptions): Promise<FoundTool & { description?: string }>;
  listServers(options?: CallOptions): Promise<ServerInfo[]>;
  /** Gives an image or other content to whoever reads the result of this run, beside what is printed. */
  show(block: ContentBlock): Promise<void>;
};
