import ArgumentParser
import Blobs
import Core
import Database
import FeatureKit
import Foundation
import NIOCore
import Transfer

/// Exit codes of commands: 0 success, 64 wrong usage, 69 a service or file that is needed is unavailable, 70 internal error. Client
/// commands also use 65 and 77 (see `ClientFailure`).
enum Exit {
    static let unavailable = ExitCode(69)
    static let fault = ExitCode(70)

    /// Runs a command. If it fails, prints the error as one line on standard error, and exits with the code for that kind of error.
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

    /// Prints a note on standard error, separate from the command's output.
    static func note(_ line: String) { FileHandle.standardError.write(Data("note: \(line)\n".utf8)) }

    /// - Returns: the line and the exit code for an error.
    static func explain(_ error: any Error) -> (String, ExitCode) {
        switch error {
        case let error as Settings.Wrong: (error.description, ExitCode(64))
        case let error as WrongSetting: (error.description, ExitCode(64))
        case let error as Problem: (error.message, error.kind == .invalid ? ExitCode(64) : unavailable)
        case let error as TransferFailure:
            switch error.kind {
            case .refused: (error.description, ExitCode(64))
            case .unavailable: (error.description, unavailable)
            case .damaged: (error.description, fault)
            }
        case let error as FullDisk: (error.description, unavailable)
        case let error as BlobError: (String(describing: error), unavailable)
        case DatabaseError.schemaTooNew(let schema, let program):
            (
                "the database was migrated by a Keepsake that is \(schema - program) releases newer than this one (\(Keepsake.version)); a program works with a schema of its own release or the next. Install the newer version on this node",
                unavailable
            )
        case DatabaseError.migrationUnknown(let name):
            (
                "the database has the migration \(name), which this Keepsake (\(Keepsake.version)) does not know: another build of the same release made it. Install that build on this node",
                unavailable
            )
        case DatabaseError.full: ("the disk of the database is full; free some space and run the command again", unavailable)
        case DatabaseError.cannotCreate(let path, let reason): ("the database \(path) cannot be created: \(reason)", ExitCode(64))
        case DatabaseError.wrongAddress(let reason): ("the database cannot be used: \(line(reason))", ExitCode(64))
        case DatabaseError.unavailable(let reason): ("the database is not available: \(line(reason))", unavailable)
        case DatabaseError.busy: ("the database is busy; run the command again", unavailable)
        case DatabaseError.notDurable(let reason): ("the database would lose writes in a crash: \(line(reason))", unavailable)
        case DatabaseError.migrationChanged(let name):
            (
                "the database's migration \(name) differs from the one in this Keepsake (\(Keepsake.version)): another build made it. Install that build on this node",
                unavailable
            )
        case DatabaseError.engine(let code, let message): ("the database failed: \(engineFault(line(message), code))", unavailable)
        case let error as DatabaseError: ("the database is not available: \(error)", unavailable)
        case let error as CannotListen: (error.description, error.isWrongSetting ? ExitCode(64) : unavailable)
        case let error as IOError: (error.description, unavailable)
        default: ("\(type(of: error)): \(error)", fault)
        }
    }

    private static func engineFault(_ message: String, _ code: Int) -> String {
        // The message contains PostgreSQL's own code (SQLSTATE). `code` is the same code as a number, which no manual lists.
        guard message.hasPrefix("SQLSTATE ") else {
            return message.hasSuffix(")") ? "\(message.dropLast()), code \(code))" : "\(message) (code \(code))"
        }
        guard message.hasPrefix("SQLSTATE 42501") else { return message }
        return "\(message); the role must own the database, or have CREATE on its schema"
    }

    /// Joins the lines of a text from libpq. Such texts have several lines, and some of the lines begin with a tab.
    static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}
