package import Blobs
import Core
import MediaFrames
package import MediaTools

/// Has the media worker decode every uploaded file before it is stored: checks the declared type and measures size, duration and capture
/// time.
package struct MediaExaminer: UploadExaminer {
    private let workers: MediaWorkers

    package init(_ workers: MediaWorkers) { self.workers = workers }

    package func examine(_ file: StagedFile, type: String, accepted: Set<String>) async throws -> FileFacts {
        guard let type = MediaType(rawValue: type) else { return try await document(file, type) }
        do {
            return try await file.withDescriptor(isLong: type.kind != .image || workers.inspectionsAreLong(of: .current)) { descriptor in
                switch type.kind {
                case .image: try await picture(descriptor, type)
                case .video: try await film(descriptor, type, acceptsSound: accepted.contains(MediaType.m4a.rawValue))
                case .audio: try await sound(descriptor, type)
                }
            }
        } catch let failure as MediaFailure {
            throw FileRefused(failure.sentence)
        }
    }

    /// Recognises a document, and checks an archive. A PDF has no structure that could be checked without opening it.
    private func document(_ file: StagedFile, _ type: String) async throws -> FileFacts {
        guard DocumentType.examined.contains(type) else { return FileFacts(type: type) }
        do {
            let kind = try await file.withDescriptor(isLong: true) { try await workers.document($0) }
            return FileFacts(type: DocumentType(kind).rawValue)
        } catch MediaFailure.refused(.unreadable) {
            throw FileRefused("The content is not a document of an accepted type, or it is damaged.")
        } catch let failure as MediaFailure {
            throw FileRefused(failure.sentence)
        }
    }

    private func picture(_ descriptor: CInt, _ type: MediaType) async throws -> FileFacts {
        let facts = try await workers.inspect(descriptor)
        guard facts.kind.agrees(with: type) else { throw MediaFailure.refused(.unreadable) }
        return FileFacts(
            type: type.rawValue, width: facts.width, height: facts.height,
            takenAt: facts.captureTime.map { Timestamp(milliseconds: $0.seconds() * 1_000 + Int64($0.milliseconds)) },
            isTakenAtLocal: facts.captureTime.flatMap { $0.offsetMinutes == nil ? true : nil }, mayHavePosition: facts.mayHavePosition)
    }

    private func film(_ descriptor: CInt, _ type: MediaType, acceptsSound: Bool) async throws -> FileFacts {
        let facts = try await workers.videoFacts(descriptor)
        // The first bytes of a video without pictures look like those of one with pictures.
        guard let width = facts.width, let height = facts.height else {
            // The upload will refuse a file without pictures, so do not spend seconds on decoding its sound.
            guard acceptsSound else { return FileFacts(type: MediaType.m4a.rawValue) }
            return try await sound(descriptor, .m4a)
        }
        return FileFacts(
            type: type.rawValue, width: width, height: height, durationMilliseconds: facts.milliseconds.map(Int64.init),
            takenAt: facts.recordedAt.map { Timestamp(seconds: Int64($0)) }, playsInBrowsers: facts.playsInBrowsers)
    }

    private func sound(_ descriptor: CInt, _ type: MediaType) async throws -> FileFacts {
        do {
            let facts = try await workers.audioFacts(descriptor)
            return FileFacts(
                type: type.rawValue, durationMilliseconds: Int64((facts.duration / .milliseconds(1)).rounded()), peaks: facts.peaks)
        } catch MediaFailure.refused(.unknownSound) {
            // Nothing bounds how long decoding this sound takes, so the file is stored without a waveform.
            return FileFacts(type: type.rawValue)
        }
    }
}

extension PictureKind {
    fileprivate func agrees(with type: MediaType) -> Bool {
        switch self {
        case .jpeg: type == .jpeg
        case .png: type == .png
        case .webp: type == .webp
        case .gif: type == .gif
        case .heic: type == .heic || type == .heif
        // AVIF is not accepted, whatever brand the file has.
        case .avif: false
        }
    }
}

extension MediaFailure {
    /// The message for the client.
    var sentence: String {
        switch self {
        case .refused(.unreadable), .crashed: "The file cannot be decoded: it is damaged or not of the type it claims to be."
        case .refused(.empty): "The file is empty."
        case .refused(.tooManyBytes): "The file is too large to be decoded."
        case .refused(.tooManyPixels): "The picture has more pixels than the server decodes in this format. Upload a smaller copy."
        case .refused(.sideTooLong): "The picture is more than \(PictureLimits.side) pixels wide or high."
        case .refused(.tooManyFrames): "The picture has more than \(PictureLimits.frames) frames."
        case .refused(.arithmeticCoding):
            "The server does not decode JPEGs with arithmetic coding. Save the picture as a usual JPEG and upload it again."
        case .refused(.tooManyScans):
            "The JPEG has more scans than the server decodes at its size. Save the picture with fewer scans, or as a baseline JPEG."
        case .refused(.tooManyParts):
            "The file has more texts, segments or tiles than the server reads. Save a copy of it with another program and upload the copy."
        case .refused(.tooMuchSound): "The recording is too long: at most two hours."
        case .refused(.unknownSound): "The server does not decode sound of this codec."
        case .refused(.outOfMemory): "Decoding the picture takes more memory than is allowed."
        case .refused(.tooManyEntries): "The document is an archive with more than \(DocumentLimits.entries) entries."
        case .refused(.unpacksTooLarge): "The document unpacks to far more than its size."
        case .refused(.unsafePath): "The document is an archive with unsafe names."
        case .refused(.nestedArchive): "The document contains an archive."
        case .timedOut, .refused(.notQuick): "Decoding the file takes too long."
        case .outputLost: "The server could not write a file that it made from this one. Try again later."
        }
    }
}
