import Core
import Database

extension MomentStore {
    /// Takes a file that goes out of the row of the moment it hangs on, if it hangs on one.
    static func removeReferences(of media: String, owner: String, _ tx: WriteTransaction) throws {
        let file = try tx.row("SELECT moment FROM moment_file WHERE media = \(media) AND owner = \(owner)")
        guard let moment: String = try file?.get("moment") else { return }
        // Two files of a moment may go at once: the list is read when nobody else can be writing it.
        try tx.lock("moment " + moment)
        guard let row = try tx.row("SELECT pictures, voice FROM moment WHERE id = \(moment) AND owner = \(owner)") else { return }
        let pictures = try TextList.decode(row.get("pictures")).filter { $0 != media }
        let voice = try row.get("voice", as: String?.self).flatMap { $0 == media ? nil : $0 }
        try tx.run(
            """
            UPDATE moment SET pictures = \(TextList.encode(pictures)), voice = \(voice) WHERE id = \(moment) AND owner = \(owner)
            """)
    }
}
