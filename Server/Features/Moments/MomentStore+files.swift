import Core
import Database

extension MomentStore {
    /// Removes a file that is being deleted from its moment's row, if it belongs to a moment.
    static func removeReferences(of media: String, owner: String, _ tx: WriteTransaction) throws {
        let file = try tx.row("SELECT moment FROM moment_file WHERE media = \(media) AND owner = \(owner)")
        guard let moment: String = try file?.get("moment") else { return }
        // Two files of a moment may be deleted at the same time. Read the list under the moment's lock, so that neither write undoes the
        // other.
        try tx.lock(Self.lock(moment))
        guard let row = try tx.row("SELECT pictures, voice, files FROM moment WHERE id = \(moment) AND owner = \(owner)") else { return }
        let pictures = try TextList.decode(row.get("pictures")).filter { $0 != media }
        let voice = try row.get("voice", as: String?.self).flatMap { $0 == media ? nil : $0 }
        let files = try Moment.File.list(row.get("files")).filter { $0.id != media }
        try tx.send(
            """
            UPDATE moment SET pictures = \(TextList.encode(pictures)), voice = \(voice), files = \(Moment.File.column(files))
            WHERE id = \(moment) AND owner = \(owner)
            """)
    }
}
