import Foundation
import KeepsakeKit
import KeepsakeWire

extension FakeRoutes {
    mutating func addMedia() {
        serve(MediaEndpoints.upload) { _, call, state in
            guard !call.form.files.isEmpty else { throw FakeProblem.invalid("Send at least one file.", "file") }
            if let text = call.form["takenAt"] { _ = try FakeState.milliseconds(text, "takenAt") }
            try FakeState.checkCount(call.form.files.count)
            let group = state.group(of: call, fileCount: call.form.files.count)
            var (stored, errors, refused): ([UploadedFile], [String], [RefusedFile]) = ([], [], [])
            for (index, file) in call.form.files.enumerated() {
                do throws(FakeProblem) {
                    stored.append(UploadedFile(data: try state.store(file, call, in: group, isAlone: true).data))
                } catch {
                    errors.append("\(file.fileName): \(error.message)")
                    refused.append(
                        RefusedFile(
                            index: index, name: file.fileName, field: file.name, error: StatusTitle.of(error.status) ?? "",
                            details: error.message, code: error.status))
                }
            }
            guard !stored.isEmpty else {
                throw FakeProblem(
                    refused[0].code, errors.joined(separator: "\n"), field: refused[0].field, refused: refused.count > 1 ? refused : nil)
            }
            return UploadResponse(
                files: stored, errors: errors.isEmpty ? nil : errors, groupId: group, refused: errors.isEmpty ? nil : refused)
        }
        serve(MediaEndpoints.profilePicture) { _, call, state in
            guard let file = call.form.files.first else { throw FakeProblem.invalid("Send a file.", "file") }
            let stored = try state.store(file, call, in: nil)
            if let old = state.profilePictures.updateValue(stored.item.fileId, forKey: call.caller) {
                state.files[call.caller]?.removeAll { $0.item.fileId == old }
                state.forget(old)
            }
            return ProfilePictureResponse(imageUrl: stored.data.url)
        }
        serve(MediaEndpoints.list) { input, call, state in
            let zone = state.zone(of: call.caller)
            let (from, to) = (try FakeTime.start(input.from, zone), try FakeTime.end(input.to, zone))
            func time(_ item: MediaItem) -> Int { input.sort == "takenAt" ? item.takenAt ?? item.createdAt : item.createdAt }
            if let hash = input.sha256, hash.count != 64 || !hash.allSatisfy(\.isHexDigit) {
                throw FakeProblem.invalid("sha256 must be 64 hexadecimal digits.", "sha256")
            }
            let files = (state.files[call.caller] ?? []).filter { file in
                input.sha256.map { ContentHash.sha256(file.data) == $0.lowercased() } ?? true
            }
            var all = files.reversed().map(\.item).filter { item in
                let at = Date(timeIntervalSince1970: Double(time(item)) / 1_000)
                return (input.category == nil || item.category == input.category) && (input.groupId == nil || item.groupId == input.groupId)
                    && (input.tag.map(item.tags.contains) ?? true) && (input.type.map { item.type.hasPrefix($0 + "/") } ?? true)
                    && from.map { at >= $0 } ?? true && to.map { at < $0 } ?? true
            }
            all.sort { (time($0), $0.fileId) > (time($1), $1.fileId) }
            if try FakeText.isAscending(input.order) { all.reverse() }
            let page = try all.page(after: input.cursor, limit: input.limit) { $0.fileId }
            return MediaListResponse(files: page.rows, pagination: Pagination(nextCursor: page.next))
        }
        serve(MediaEndpoints.get) { input, call, state in MediaResponse(file: try state.file(input.id, call.caller).item) }
        serve(MediaEndpoints.update) { input, call, state in
            let old = try state.file(input.id, call.caller).item
            var item = old
            FakeText.apply(input.title, &item.title)
            FakeText.apply(input.description, &item.description)
            FakeText.apply(input.groupId, &item.groupId)
            if case .set(let tags) = input.tags { item.tags = tags } else if case .clear = input.tags { item.tags = [] }
            if case .set(let name) = input.category {
                item.category = name
            } else if case .clear = input.category {
                item.category = "general"
            }
            switch input.takenAt {
            case .unchanged: break
            case .clear: item.takenAt = nil
            case .set(let time): item.takenAt = try FakeState.milliseconds(time, "takenAt")
            }
            state.change(item, call.caller)
            if item != old { state.emitFile("media.changed", item, call) }
            return MediaResponse(file: item)
        }
        serve(MediaEndpoints.delete) { input, call, state in
            let item = try state.file(input.id, call.caller).item
            state.files[call.caller]?.removeAll { $0.item.fileId == input.id }
            state.forget(input.id)
            state.emitFile("media.deleted", item, call)
            return SuccessResponse()
        }
        // The fake server cannot decode sounds, so each waveform is silent.
        serve(MediaEndpoints.waveform) { input, call, state in
            guard try state.file(input.fileId, call.caller).item.type.hasPrefix("audio/") else { throw FakeProblem.notFound("The sound") }
            return Waveform(peaks: Array(repeating: 0, count: 200))
        }
    }
}

extension FakeState {
    static let category = "general"

    static func checkCount(_ count: Int) throws {
        guard count <= 10 else { throw FakeProblem.invalid("Send at most 10 files; got \(count).", "file") }
    }

    func file(_ id: String, _ owner: String) throws -> StoredFile {
        guard let file = files[owner]?.first(where: { $0.item.fileId == id }) else { throw FakeProblem.notFound("The file") }
        return file
    }

    mutating func change(_ item: MediaItem, _ owner: String) {
        guard let index = files[owner]?.firstIndex(where: { $0.item.fileId == item.fileId }) else { return }
        files[owner]?[index].item = item
    }

    mutating func emitFile(_ type: String, _ item: MediaItem, _ call: FakeCall) {
        emit(
            type,
            .object([
                "id": .string(item.fileId), "category": .string(item.category),
                "groupId": item.groupId.map { .string($0) } ?? .null,
            ]), to: call.caller, call.now)
    }

    /// The `groupId` of the request, or a new one if it has none and several files.
    mutating func group(of call: FakeCall, fileCount: Int) -> String? {
        if let group = call.form["groupId"] { return group }
        return fileCount > 1 ? newID() : nil
    }

    /// Stores a file of a request.
    /// - Throws: 413 or 422.
    mutating func store(
        _ file: FakeForm.File, _ call: FakeCall, in group: String?, isAlone: Bool = false
    ) throws(FakeProblem) -> (data: FileData, item: MediaItem) {
        let takenAt = if let text = call.form["takenAt"] { try Self.milliseconds(text, "takenAt") } else { Int?.none }
        guard file.data.count <= 50 * 1_048_576 else { throw FakeProblem(413, "The file is larger than 50 MB.") }
        guard let type = FakeFileType.of(file.data) else { throw FakeProblem(422, "This type of file is not accepted.") }
        let id = create()
        let path = "/api/users/user/\(call.caller)/multimedia/files/\(id)"
        let data = FileData(
            url: "https://keepsake.invalid\(path)?signature=none", appUrl: "https://keepsake.invalid\(path)", name: file.fileName,
            size: file.data.count, type: type, fileId: id)
        var item = MediaItem(
            file: data, category: call.form["category"] ?? Self.category, title: call.form["title"],
            description: call.form["description"], tags: call.form.list("tags"), groupId: group,
            createdAt: call.milliseconds)
        item.takenAt = isAlone ? takenAt : nil
        files[call.caller, default: []].append(StoredFile(item: item, data: file.data, isAlone: isAlone))
        emitFile("media.added", item, call)
        return (FileData(item), item)
    }
}
