import Core
import Database
import KeepsakeWire
import Web

/// Selects which of an owner's files a list shows, and in which order.
struct MediaSelection: Sendable, Equatable {
    /// The time that orders the list.
    enum Sort: String {
        /// When the file was stored.
        case createdAt
        /// When the file was taken or, if that is not known, when it was stored.
        case takenAt
    }

    var labels = EntryFilter()
    var sort = Sort.createdAt
    var order = Keyset.Direction.descending
    var range = TimeRange(from: nil, to: nil)
    /// `nil` for files of all kinds. The raw value of a kind is the first five characters of its content types.
    var type: MediaType.Kind?
    /// Only files with these bytes, as 64 lower-case hexadecimal digits; `nil` for all files.
    var sha256: String?

    init() {}

    /// - Parameter range: the list's `from` and `to`.
    /// - Throws: `.invalid` naming the parameter that is wrong or does not combine with the others.
    init(_ input: ListMediaInput, range: TimeRange) throws {
        labels = try EntryFilter(checking: input.category, groupID: input.groupId, tag: input.tag)
        if let text = input.sort {
            guard let sort = Sort(rawValue: text) else { throw Problem(.invalid, "sort must be createdAt or takenAt.", field: "sort") }
            self.sort = sort
        }
        order = try PageOrder.read(input.order)
        if let text = input.type {
            guard let type = MediaType.Kind(rawValue: text) else {
                throw Problem(.invalid, "type must be image, video or audio.", field: "type")
            }
            self.type = type
        }
        self.range = range
        guard let hash = input.sha256 else { return }
        sha256 = hash.lowercased()
        guard hash.utf8.count == 64, hash.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw Problem(.invalid, "sha256 must be 64 hexadecimal digits.", field: "sha256")
        }
        guard labels == EntryFilter(), sort == .createdAt, type == nil else {
            throw Problem(.invalid, "sha256 cannot be combined with category, groupId, tag, type or sort=takenAt.", field: "sha256")
        }
    }

    /// The selection's part of a cursor's scope: a cursor is valid only for the selection it was issued with.
    var scope: [String] {
        let bounds = [range.from, range.to].map { $0.map { String($0.microseconds) } ?? "" }
        let scope = labels.scope + [sort.rawValue, order == .ascending ? "asc" : "desc", type?.rawValue ?? ""] + bounds
        // Without a hash, the scope is the same as in the last release, so that its cursors stay valid.
        return sha256.map { scope + [$0] } ?? scope
    }

    /// `nil` if one index covers all labels, the type and the order together. Otherwise a longer list that an index covers, with the same
    /// order and range. A page reads the rows of that list and keeps those that match.
    var walked: MediaSelection? {
        guard labels.count > 1, sort == .takenAt || type != nil else { return nil }
        var walked = self
        switch (sort, labels.groupID, labels.tag) {
        // The index of these labels by time stored leaves only the type to be checked.
        case (.createdAt, _, _): walked.type = nil
        // Each index by time taken holds one label. A group usually has the fewest files. The category is not used, because nearly every
        // file has one.
        case (.takenAt, let groupID?, _): walked.labels = EntryFilter(groupID: groupID)
        case (.takenAt, nil, let tag): walked.labels = EntryFilter(tag: tag)
        }
        return walked
    }

    /// Whether the file has the labels and the type.
    func matches(_ asset: Asset) -> Bool {
        if let type, !asset.type.utf8.starts(with: type.rawValue.utf8) { return false }
        if let category = labels.category, !Self.isSame(asset.category, category) { return false }
        if let groupID = labels.groupID, !Self.isSame(asset.groupID ?? "", groupID) { return false }
        if let tag = labels.tag, !asset.tags.contains(where: { Self.isSame($0, tag) }) { return false }
        return true
    }

    /// The engines compare bytes. `==` treats an accented letter that is one character as equal to one that is two.
    private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    /// The position of a file in the list.
    func key(_ asset: Asset) -> TimeKey { TimeKey(at: sort == .takenAt ? asset.moment : asset.createdAt, id: asset.id) }
}
