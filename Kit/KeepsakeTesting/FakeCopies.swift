import Foundation
import KeepsakeWire

extension FakeRoutes {
    /// The routes for files, copies and archives.
    mutating func addCopies() {
        // The fake server cannot decode pictures and films. Each copy and each playable film is the original.
        serve(file: MediaEndpoints.file) { input, call, state in
            let isCopy = try FakeState.isCopy(input)
            let file = try state.file(input.fileId, call.caller)
            guard !isCopy || !file.item.type.hasPrefix("audio/") else { throw FakeProblem(422, "There is no picture of this file.") }
            return (file.data, file.item.type)
        }
        serve(MediaEndpoints.createArchive) { input, call, state in
            var seen: Set<String> = []
            let ids = input.fileIds.filter { seen.insert($0).inserted }
            guard 1...1_000 ~= ids.count else { throw FakeProblem.invalid("An archive has 1 to 1000 files; got \(ids.count).", "fileIds") }
            var size = 0
            for id in ids {
                guard let file = try? state.file(id, call.caller) else {
                    throw FakeProblem(404, "There is no file \(id).", field: "fileIds")
                }
                size += file.item.size
            }
            let archive = FakeState.Archive(id: state.newID(), files: ids, expiresAt: call.now.addingTimeInterval(3_600))
            state.archives[call.caller] = (state.archives[call.caller] ?? []).suffix(19) + [archive]
            return MediaArchiveResponse(
                archiveId: archive.id,
                url: "https://keepsake.invalid/api/users/user/\(call.caller)/multimedia/archives/\(archive.id)?signature=none",
                count: ids.count, size: size, expiresAt: call.milliseconds + 3_600_000)
        }
        serve(file: MediaEndpoints.archive) { input, call, state in
            guard let archive = state.archives[call.caller]?.first(where: { $0.id == input.archiveId }), call.now < archive.expiresAt else {
                throw FakeProblem(404, "There is no such archive, or its link has expired.")
            }
            var written = FakeArchive()
            for id in archive.files {
                // A file that was deleted after the archive was created is left out.
                if let file = try? state.file(id, call.caller) { written.add(file.item.name, file.data) }
            }
            return (written.finished(), "application/zip")
        }
    }
}

extension FakeState {
    /// Checks the parameters of a copy.
    /// - Returns: whether a smaller copy of a picture is requested.
    /// - Throws: 400 for a copy that the real server would refuse, too.
    fileprivate static func isCopy(_ input: FileInput) throws -> Bool {
        let isCopy = input.w != nil || input.h != nil || input.fit != nil || input.format != nil || input.q != nil
        if let play = input.play {
            guard play == 1, !isCopy else {
                throw FakeProblem.invalid("play must be 1, and cannot be combined with w, h, fit, format and q.", "play")
            }
        }
        guard isCopy else { return false }
        for (side, name) in [(input.w, "w"), (input.h, "h")] {
            guard 1...2_048 ~= side ?? 1 else { throw FakeProblem.invalid("\(name) must be 1…2048 pixels.", name) }
        }
        guard input.w != nil || input.h != nil else { throw FakeProblem.invalid("w or h is needed, in pixels.", "w") }
        guard ["contain", "cover"].contains(input.fit ?? "contain") else {
            throw FakeProblem.invalid("fit must be one of contain, cover.", "fit")
        }
        guard input.fit != "cover" || input.w != nil && input.h != nil else {
            throw FakeProblem.invalid("cover needs both w and h.", input.w == nil ? "w" : "h")
        }
        guard ["auto", "jpeg", "webp", "avif"].contains(input.format ?? "auto") else {
            throw FakeProblem.invalid("format must be one of jpeg, webp, avif.", "format")
        }
        guard 1...100 ~= input.q ?? 80 else { throw FakeProblem.invalid("q must be 1…100.", "q") }
        return true
    }
}
