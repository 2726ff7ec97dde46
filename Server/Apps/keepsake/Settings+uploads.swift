import Core
import Media

extension Settings.Source {
    /// The size limits of files and requests of general uploads.
    /// - Throws: `Settings.Wrong` also when a file of the largest size would not fit into a request.
    func uploads(_ options: Options) throws -> GeneralUploadLimits {
        var limits = GeneralUploadLimits()
        if let megabytes = try number(options.maxFileMB, "max_file_mb", GeneralUploadLimits.fileMegabytes) {
            limits.fileByteCount = Int64(megabytes) * 1_048_576
        }
        guard let megabytes = try number(options.maxRequestMB, "max_request_mb", GeneralUploadLimits.requestMegabytes) else {
            return limits
        }
        let byteCount = Int64(megabytes) * 1_048_576
        guard byteCount > limits.fileByteCount else {
            throw Settings.Wrong(
                description: "\(name("max_request_mb")) must be greater than the \(SizeText.limit(limits.fileByteCount)) "
                    + "that one file may have: \(megabytes)")
        }
        limits.requestByteCount = byteCount
        return limits
    }
}
