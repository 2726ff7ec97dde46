public struct ChatUsageInput: Codable, Sendable {
    /// A day (`2026-12-31`), inclusive. Default: 29 days before `to`, which makes 30 days. Rows are kept for 90 days.
    public var from: String?
    /// A day, included as a whole. Default: today.
    public var to: String?

    public init(from: String? = nil, to: String? = nil) {
        self.from = from
        self.to = to
    }
}

public struct ChatUsage: Codable, Sendable, Equatable {
    /// The requests of one day to one model for one purpose.
    public struct Row: Codable, Sendable, Equatable {
        /// A day in UTC.
        public var date: String
        public var provider: String
        public var model: String
        /// `analyse`, `answer`, `chat` or `transcribe`.
        public var purpose: String
        public var requests: Int
        public var bytesSent: Int
        public var bytesReceived: Int
        /// 0 when the provider does not say.
        public var inputTokens: Int
        /// 0 when the provider does not say.
        public var outputTokens: Int

        public init(
            date: String, provider: String, model: String, purpose: String, requests: Int, bytesSent: Int, bytesReceived: Int,
            inputTokens: Int, outputTokens: Int
        ) {
            self.date = date
            self.provider = provider
            self.model = model
            self.purpose = purpose
            self.requests = requests
            self.bytesSent = bytesSent
            self.bytesReceived = bytesReceived
            self.inputTokens = inputTokens
            self.outputTokens = outputTokens
        }
    }

    /// The earliest day first.
    public var usage: [Row]

    public init(usage: [Row]) { self.usage = usage }
}

/// The models that may answer the caller.
public struct ChatModels: Codable, Sendable, Equatable {
    public struct Model: Codable, Sendable, Equatable {
        /// What `SendChatMessageInput.endpoint` names.
        public var endpoint: String
        public var model: String
        /// `gemini`, `openai`, `librechat` or `local`.
        public var provider: String
        /// Whether nothing leaves the installation.
        public var isLocal: Bool

        public init(endpoint: String, model: String, provider: String, isLocal: Bool) {
            self.endpoint = endpoint
            self.model = model
            self.provider = provider
            self.isLocal = isLocal
        }
    }

    /// The default first.
    public var models: [Model]

    public init(models: [Model]) { self.models = models }
}
