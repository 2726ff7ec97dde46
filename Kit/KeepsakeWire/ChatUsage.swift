public struct ChatUsageInput: Codable, Sendable {
    /// The first day, for example `2026-12-31`. By default 29 days before `to`, so that the response covers 30 days. The server keeps rows
    /// for 90 days.
    public var from: String?
    /// The last day. Default: today.
    public var to: String?

    public init(from: String? = nil, to: String? = nil) {
        self.from = from
        self.to = to
    }
}

public struct ChatUsage: Codable, Sendable, Equatable {
    /// All requests of one day to one model for one purpose.
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
        /// 0 if the provider does not report it.
        public var inputTokens: Int
        /// 0 if the provider does not report it.
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

    /// The rows, the earliest day first.
    public var usage: [Row]

    public init(usage: [Row]) { self.usage = usage }
}

/// The models that can answer the caller.
public struct ChatModels: Codable, Sendable, Equatable {
    public struct Model: Codable, Sendable, Equatable {
        /// The value of `SendChatMessageInput.endpoint` for this model.
        public var endpoint: String
        public var model: String
        /// `gemini`, `openai`, `librechat` or `local`.
        public var provider: String
        /// Whether the model runs in the installation, so that no data leaves it.
        public var isLocal: Bool

        public init(endpoint: String, model: String, provider: String, isLocal: Bool) {
            self.endpoint = endpoint
            self.model = model
            self.provider = provider
            self.isLocal = isLocal
        }
    }

    /// The models, the default first.
    public var models: [Model]

    public init(models: [Model]) { self.models = models }
}
