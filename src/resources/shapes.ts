import { AccessToken } from './access-tokens/schema.ts'
import { ContextOverview, Generated, SummarizedMessages } from './agents/context/schema.ts'
import { AgentFileAttachment } from './agents/files/schema.ts'
import { MadeSchedule, Schedule } from './agents/schedule/schema.ts'
import { Agent, AgentEnvironmentVariable, CompactionSettings, Memory } from './agents/schema.ts'
import { ToolRule } from './agents/tool-rules.ts'
import { ApiKey, NewApiKey } from './api-keys/schema.ts'
import { PendingApproval } from './approvals/schema.ts'
import { Archive } from './archives/schema.ts'
import { Batch } from './batches/schema.ts'
import { BlockVersion } from './blocks/history/schema.ts'
import { Block, FileBlock } from './blocks/schema.ts'
import { Budget } from './budgets/schema.ts'
import { Change } from './changes/schema.ts'
import { chatShapes } from './chat-completions/schema.ts'
import { Conversation } from './conversations/schema.ts'
import { FolderFile } from './folders/file-schema.ts'
import { Folder, Source } from './folders/schema.ts'
import { Group } from './groups/schema.ts'
import { FailedJob, ServerHealth } from './health/schema.ts'
import { Identity } from './identities/schema.ts'
import { ListedTool, NamedServer } from './mcp-servers/by-name/schema.ts'
import { ConnectEvent, McpServer } from './mcp-servers/schema.ts'
import { sendShapes } from './messages/body.ts'
import { messageShapes } from './messages/schema.ts'
import { EmbeddingConfig, EmbeddingModel, LlmConfig, Model, ModelSettings, ResponseFormat } from './models/schema.ts'
import { Organization, User } from './organizations/schema.ts'
import { Passage } from './passages/schema.ts'
import { Project } from './projects/schema.ts'
import { PinnedModel, Provider } from './providers/schema.ts'
import { Run, RunMetrics, RunSpan, RunUsage } from './runs/schema.ts'
import { SandboxConfig } from './sandbox-configs/schema.ts'
import { SandboxEnvironmentVariable } from './sandbox-variables/schema.ts'
import { ProviderTrace, Step, StepMetrics } from './steps/schema.ts'
import { Template } from './templates/schema.ts'
import { TemplateSnapshot } from './templates/snapshot-schema.ts'
import { Tool, ToolExecution } from './tools/schema.ts'

/** The named shapes of the API: the components of its OpenAPI document. */
export const shapes = [
  AccessToken,
  Agent,
  AgentEnvironmentVariable,
  AgentFileAttachment,
  ApiKey,
  Archive,
  Batch,
  Block,
  BlockVersion,
  Budget,
  Change,
  ...chatShapes,
  CompactionSettings,
  ContextOverview,
  Conversation,
  EmbeddingConfig,
  EmbeddingModel,
  FailedJob,
  FileBlock,
  FolderFile,
  Folder,
  Generated,
  Group,
  Identity,
  LlmConfig,
  MadeSchedule,
  McpServer,
  ListedTool,
  NamedServer,
  ConnectEvent,
  Memory,
  ...messageShapes,
  ...sendShapes,
  Model,
  ModelSettings,
  NewApiKey,
  Organization,
  Passage,
  PendingApproval,
  PinnedModel,
  Project,
  Provider,
  ResponseFormat,
  ProviderTrace,
  Run,
  RunMetrics,
  RunSpan,
  RunUsage,
  SandboxConfig,
  SandboxEnvironmentVariable,
  Schedule,
  ServerHealth,
  Source,
  SummarizedMessages,
  Step,
  StepMetrics,
  Template,
  TemplateSnapshot,
  Tool,
  ToolExecution,
  ToolRule,
  User,
]
