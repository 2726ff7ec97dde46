import Core
import Foundation

/// Reads the file of settings as text. If that is not possible, the error says exactly why.
extension SettingsFile {
    /// Whether the file exists. Also `true` if this user may not enter a folder above it: the file most likely exists, and `text` then
    /// explains the problem.
    static func exists(_ path: String) -> Bool {
        // A relative path does not count as existing then: the current folder may be that of the user who called sudo.
        access(path, F_OK) == 0 || (errno == EACCES && path.hasPrefix("/"))
    }

    /// - Parameter label: the flag or variable that named the file, if any, and the path.
    /// - Throws: `Settings.Wrong` with one line when the file is missing, is a folder, cannot be read by this user, or is not UTF-8.
    static func text(_ path: String, _ label: String) throws -> String {
        guard exists(path) else { throw Settings.Wrong(description: "\(label): there is no such file") }
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw Settings.Wrong(description: "\(label) is a folder; name a file of settings in it")
        }
        guard access(path, R_OK) == 0 else {
            throw Settings.Wrong(description: "\(label): \(refusal(of: path, to: .current, owner: owner(of: path)))")
        }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Settings.Wrong(description: "\(label): the disk could not read the file")
        }
        guard let position = firstWrongByte(in: bytes) else { return String(decoding: bytes, as: UTF8.self) }
        let line = bytes.prefix(position).filter { $0 == UInt8(ascii: "\n") }.count + 1
        throw Settings.Wrong(
            description: """
                \(label):\(line): the file is not UTF-8: byte \(position + 1) of the file is not part of a character; save it as UTF-8
                """)
    }

    /// - Returns: `nil` when there is no such file, or this user may not enter its folder.
    private static func owner(of path: String) -> UnixUser? {
        let id = (try? FileManager.default.attributesOfItem(atPath: path))?[.ownerAccountID] as? NSNumber
        return id.map { UnixUser(id: $0.uint32Value) }
    }

    /// Says why the user may not read the file, and what to do. It never advises running the command as root, because the server's user
    /// could not use files that root creates.
    static func refusal(of path: String, to user: UnixUser, owner: UnixUser?) -> String {
        guard let owner else {
            return "the user \(user) may not enter a folder above it; run the command as the server's user (sudo -u NAME keepsake …)"
        }
        let refused = "the user \(user) may not read the file, which belongs to \(owner)"
        if owner == user { return "\(refused); allow it (chmod u+r \(path))" }
        guard owner.isRoot else { return "\(refused); run the command as \(owner) (\(owner.sudo) keepsake …)" }
        return """
            \(refused); run the command as the server's user (sudo -u NAME keepsake …). If that is \(user), let its group read the file \
            (sudo chgrp GROUP \(path) && sudo chmod 0640 \(path))
            """
    }

    /// - Returns: the position of the first byte that is not part of a character, from 0; `nil` for UTF-8.
    private static func firstWrongByte(in bytes: Data) -> Int? {
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        var position = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar): position += scalar.count
            case .emptyInput: return nil
            case .error: return position
            }
        }
    }
}
