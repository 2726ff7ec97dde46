import Foundation
import TestKit

extension TestServer {
    /// The number of files in the blob store, including temporary ones; for an object store, the number of objects.
    func storedFileCount() async throws -> Int {
        try await storedFiles().count
    }

    /// Total size in bytes of the files in the blob store, including temporary ones.
    func storedByteCount() async throws -> Int64 { try await storedFiles().reduce(0, +) }

    /// The size of each file.
    private func storedFiles() async throws -> [Int64] {
        guard case .embedded = stores.pair else { return try await stores.objects().list().map(\.byteCount) }
        let blobs = URL(filePath: folder).appending(path: "blobs")
        let all = FileManager.default.enumerator(at: blobs, includingPropertiesForKeys: [.isRegularFileKey, .fileSizeKey])
        var sizes: [Int64] = []
        while let file = all?.nextObject() as? URL {
            // If a file was deleted after it was listed, it has no size.
            guard let values = try? file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey]), values.isRegularFile == true else {
                continue
            }
            sizes.append(Int64(values.fileSize ?? 0))
        }
        return sizes
    }
}
