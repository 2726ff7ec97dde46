import ArgumentParser

/// The commands for people who use a server. They use only the client library and the API.
enum ClientCommands {
    static let all: [any ParsableCommand.Type] = [
        LoginCommand.self, LogoutCommand.self, WhoamiCommand.self, UploadCommand.self, MoodCommand.self, MemoryCommand.self,
        EventCommand.self, CapsuleCommand.self, CaptureCommand.self, AskCommand.self, TimelineCommand.self, SearchCommand.self,
        EventsCommand.self, QueueCommand.self,
    ]
}
