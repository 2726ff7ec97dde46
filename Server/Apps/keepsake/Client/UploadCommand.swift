import ArgumentParser
import Foundation
import KeepsakeKit
import KeepsakeWire

struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Upload photos and films.",
        discussion: """
            Each request has at most ten files. The server stores each file completely or not at all, and a file that it refuses does \
            not stop the others.
            """)

    @Argument(help: "The files.", completion: .file())
    var files: [String]

    @Option(help: "A title for them.")
    var title: String?

    @Option(help: "A description.")
    var description: String?

    @Option(help: "A category.")
    var category: String?

    @Option(name: .customLong("tag"), help: "A tag; may be repeated.")
    var tags: [String] = []

    @Option(help: "The name of a group that they belong to.")
    var group: String?

    @Flag(inversion: .prefixedNo, help: "Show how much was sent. Default: on a terminal")
    var progress: Bool?

    @Flag(help: "Keep them on this computer until `keepsake queue send`. This needs no network.")
    var queue = false

    @Flag(help: "A line of JSON for each ten files: the server's response.")
    var json = false

    func run() async throws {
        try await ClientFailure.reporting(json: json) {
            let files = try ClientFile.check(files)
            let labels = MediaLibrary.Labels(title: title, description: description, category: category, tags: tags, groupId: group)
            let batches = stride(from: 0, to: files.count, by: 10).map { Array(files[$0..<min($0 + 10, files.count)]) }
            if queue {
                let label = files.map(\.lastPathComponent).joined(separator: ", ")
                return try await Queueing.add(batches.map { .upload($0, labels: labels) }, label: label, json: json)
            }
            let server = try ClientFolder().server()
            let refused = try await withProgress(files, isWanted: progress) { progress in
                var refused: [String] = []
                for batch in batches {
                    let response = try await server.media.upload(batch, labels: labels, progress: progress?.handler(batch))
                    await progress?.endLine()
                    try show(response)
                    refused += response.errors ?? []
                }
                return refused
            }
            guard !refused.isEmpty else { return }
            if json { throw ClientFailure(.refused, refused.joined(separator: "; ")) }
            for line in refused { ClientOutput.note(line) }
            throw ExitCode(ClientFailure.Kind.refused.rawValue)
        }
    }

    private func show(_ response: UploadResponse) throws {
        if json { return try ClientOutput.print(json: response, .multimedia) }
        for file in response.files {
            let size = ClientOutput.size(Int64(file.data.size))
            try ClientOutput.print("\(ClientOutput.short(file.data.name, 60))  \(size)  \(file.data.type)  \(file.data.url)")
        }
    }
}
