import ArgumentParser
import Blobs
import Core
import Database
import FeatureKit
import Foundation
import NIOCore

/// What a command ends with: 0 done, 64 wrong use, 69 something needed is unavailable, 70 our fault.
enum Exit {
    static let unavailable = ExitCode(69)
    static let fault = ExitCode(70)

    /// Runs a command; an error becomes one line on standard error and the code that tells its kind.
    static func reporting(_ command: () async throws -> Void) async throws {
        do {
            try await command()
        } catch let code as ExitCode {
            throw code
        } catch {
            let (line, code) = explain(error)
            FileHandle.standardError.write(Data("keepsake: \(line)\n".utf8))
            throw code
        }
    }

    /// One line beside what a command prints, for the person who reads along.
    static func note(_ line: String) { FileHandle.standardError.write(Data("note: \(line)\n".utf8)) }

    private static func explain(_ error: any Error) -> (String, ExitCode) {
        switch error {
        case let error as Settings.Wrong: (error.description, ExitCode(64))
        case let error as WrongSetting: (error.description, ExitCode(64))
        case let error as Problem: (error.message, error.kind == .invalid ? ExitCode(64) : unavailable)
        case let error as BlobError: (String(describing: error), unavailable)
        case let error as DatabaseError: ("the database is not available: \(error)", unavailable)
        case let error as IOError: (error.description, unavailable)
        default: ("\(type(of: error)): \(error)", fault)
        }
    }
}
