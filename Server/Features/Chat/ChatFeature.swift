package import Ask
package import Blobs
import Core
package import Database
package import FeatureKit
package import Foundation
package import Intelligence
package import Jobs
import KeepsakeWire
import Logging
package import Media
package import MediaTools
package import Outbound
import Search
package import ServiceLifecycle
package import Web

/// Conversations with a model, with attached files (surface 2).
package struct ChatFeature: Feature {
    let store: ChatStore
    let files: ChatFiles
    package let writer: AnswerWriter
    private let providers: ChatProviders
    private let stream: AnswerStream
    private let search: SeparateSearch
    private let ledger: CallLedger
    private let allowsOutside: @Sendable (_ account: String) async throws -> Bool
    private let context: FeatureContext

    /// Time limits that tests shorten.
    package struct Tuning: Sendable {
        /// After this time without a frame, a stream sends a comment.
        package var silence: Duration = .seconds(15)
        /// The time limit for one answer.
        package var timeout: Duration = .seconds(300)

        package init() {}
    }

    /// - Parameters:
    ///   - served: serves files of the library.
    ///   - providers: the models outside the installation; if there are none, `local` answers.
    ///   - answers: finds the user's entries that match a message.
    ///   - engines: read the text in pictures.
    ///   - tool: runs the programs that read documents.
    ///   - allowsOutside: whether a user allows models and other engines outside the installation.
    package init(
        _ context: FeatureContext, library: MediaLibrary, served: LibraryFiles, workers: MediaWorkers, files: BlobFiles, engines: Engines,
        tool: SandboxedTool, providers: ChatProviders, answers: Answers, ledger: CallLedger,
        allowsOutside: @escaping @Sendable (_ account: String) async throws -> Bool,
        timeZone: @escaping @Sendable (_ account: String) async throws -> TimeZone, tuning: Tuning = Tuning()
    ) {
        self.context = context
        self.files = ChatFiles(
            context, library: library, served: served, workers: workers, files: files, pictureText: engines.pictureText, tool: tool)
        store = ChatStore(
            database: context.database, library: library, files: self.files, events: context.events, identifiers: context.identifiers)
        var limits = PromptBuilder.Limits()
        limits.tokens = context.settings[Self.tokens]
        let prompts = PromptBuilder(
            store: store, limits: limits, answers: context.settings[Self.memories] ? answers : nil, timeZone: timeZone)
        let composer = AnswerComposer(
            store: store, prompts: prompts,
            quotes: LocalAnswers(store: store, answers: answers, timeZone: timeZone, fileQuotes: FileQuotes()),
            allowsOutside: allowsOutside)
        var settings = AnswerWriter.Settings()
        settings.timeout = tuning.timeout
        writer = AnswerWriter(store: store, composer: composer, settings: settings, logger: context.logger)
        stream = AnswerStream(store: store, writer: writer, silence: tuning.silence)
        self.providers = providers
        search = SeparateSearch(
            context,
            limits: .init(permits: 2, permitsPerKey: 1, permitsPerNetwork: 2, waiting: 256, waitingPerKey: 8, waitingPerNetwork: 64))
        self.ledger = ledger
        self.allowsOutside = allowsOutside
    }

    // MARK: Settings

    static let memories = FeatureSetting(
        "chat_memories", default: false,
        help: "Whether an outside chat model also gets those of the user's entries that match the message: on or off")
    static let tokens = FeatureSetting(
        "chat_tokens", default: 4_096, in: 16...65_536, help: "The longest answer of an outside chat model, in tokens: 16-65536")

    package static var settings: [any FeatureSettingReader] { ChatFiles.settings + [memories, tokens] }

    // MARK: Tables and routes

    package static var migrations: [Migration] { ChatFiles.migrations + ChatMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml
    package static var surfaces: [PathSurface] { [PathSurface("/api/chat", .chat)] }
    package static var fileUses: [FileUse] { ChatFiles.fileUses }

    package func addRoutes(to routes: Routes) {
        files.addRoutes(to: routes)
        routes.serve(
            events: ChatEndpoints.send,
            SendMessage(store: store, writer: writer, providers: providers, stream: stream, allowsOutside: allowsOutside).handle)
        routes.serve(events: ChatEndpoints.resume, ResumeAnswer(store: store, stream: stream).handle)
        routes.serve(ChatEndpoints.abort, AbortAnswer(store: store, writer: writer).handle)
        routes.serve(ChatEndpoints.conversations, ListConversations(store: store, cursors: context.cursors).handle)
        routes.serve(ChatEndpoints.rename, RenameConversation(store: store).handle)
        routes.serve(ChatEndpoints.delete, DeleteConversation(store: store).handle)
        routes.serve(download: ChatEndpoints.export, ExportConversation(store: store).handle)
        let messages = ListMessages(store: store)
        routes.serve(ChatEndpoints.messages, messages.handle)
        routes.serve(ChatEndpoints.messagesByPath, messages.handle)
        routes.serve(ChatEndpoints.search, SearchMessages(store: store, search: search).handle)
        routes.serve(ChatEndpoints.usage, ReadUsage(ledger: ledger, clock: context.clock).handle)
        routes.serve(ChatEndpoints.models, ListModels(providers: providers, allowsOutside: allowsOutside).handle)
    }

    // MARK: Background work

    package var patientJobs: [JobHandler] { files.patientJobs }

    /// Ends the streams when the server stops, before it waits for open requests to finish.
    package var frontServices: [any Service] { [writer] }

    package var services: [any Service] {
        files.services + [
            Upkeep("abandoned answers", every: .seconds(5), logger: context.logger) { [store, writer] in
                try await store.endAbandoned { writer.writing($0) != nil }
            },
            Upkeep("pieces of answers", every: .minutes(1), logger: context.logger) { [store] in try await store.sweepPieces() },
            Upkeep("deleted conversations", every: .minutes(5), logger: context.logger) { [store] in try await store.deleteRest() },
            Upkeep("ids of deleted messages", every: .minutes(60), logger: context.logger) { [store] in try await store.sweepTombstones() },
        ]
    }

    package var examinations: [Examination] { files.examinations + providers.examinations }
}

extension ChatProviders {
    /// One check for each model.
    var examinations: [Examination] {
        all.map { model in
            Examination(name: "chat model \(model.model)") {
                let prompt = ChatPrompt(
                    instruction: "Answer with one word.", turns: [.init(isByUser: true, text: "Say hello.")], tokenLimit: 16, owner: nil)
                _ = try await model.answer(prompt) { _ in }
                return "\(model.provider) answered"
            }
        }
    }
}
