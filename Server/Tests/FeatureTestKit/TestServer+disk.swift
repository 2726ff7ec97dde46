import Foundation

extension TestServer {
    /// The number of files in the blob store, temporary ones included.
    func storedFileCount() throws -> Int {
        let blobs = URL(filePath: folder).appending(path: "blobs")
        let all = FileManager.default.enumerator(at: blobs, includingPropertiesForKeys: [.isRegularFileKey])
        var count = 0
        while let file = all?.nextObject() as? URL {
            if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true { count += 1 }
        }
        return count
    }
}
