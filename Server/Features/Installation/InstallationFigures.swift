package import Core
package import Jobs

/// What the server measures every 30 seconds. It does not measure this for each request, because the work grows with the installation.
package struct InstallationFigures: Sendable {
    package struct Disk: Sendable {
        package let free: Int64
        package let used: Int64

        package init(free: Int64, used: Int64) {
            self.free = free
            self.used = used
        }
    }

    package struct Stored: Sendable {
        package let kind: String
        package let fileCount: Int
        package let byteCount: Int64

        package init(kind: String, fileCount: Int, byteCount: Int64) {
            self.kind = kind
            self.fileCount = fileCount
            self.byteCount = byteCount
        }
    }

    /// When the server last measured; `nil` before the first measurement.
    package var measuredAt: Timestamp?
    package var accounts: Int?
    /// How much is stored; empty until the server has counted all files once.
    package var stored: [Stored] = []
    package var databaseByteCount: Int64?
    package var disk: Disk?
    package var jobs: [JobCounts] = []

    package init() {}
}
