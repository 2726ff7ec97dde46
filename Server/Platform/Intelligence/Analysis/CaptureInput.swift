package import Core
package import Foundation

/// What an analyzer may know about one capture. The analysis must not state anything else.
package struct CaptureInput: Sendable {
    /// The capture's id.
    package var capture: String
    /// The account that the capture belongs to. The ledger of calls to outside engines names it.
    package var owner: String
    package var at: Timestamp
    /// The owner's time zone, in which "yesterday" and "tonight" are meant.
    package var zone: TimeZone
    /// What was said; `nil` when nothing was transcribed.
    package var transcription: String?
    /// What is written in the picture, from `PictureTextReader`; `nil` when nothing is, or when the picture was not read.
    package var imageText: String?
    package var picture: CaptureFile?
    package var sound: CaptureFile?
    /// The names of the owner's known contacts, as the owner spells them, merged names included.
    package var contacts: [String]

    package init(
        capture: String, owner: String, at: Timestamp, zone: TimeZone, transcription: String?, imageText: String? = nil,
        picture: CaptureFile? = nil, sound: CaptureFile? = nil, contacts: [String] = []
    ) {
        self.capture = capture
        self.owner = owner
        self.at = at
        self.zone = zone
        self.transcription = transcription
        self.imageText = imageText
        self.picture = picture
        self.sound = sound
        self.contacts = contacts
    }
}

/// A stored file of a capture.
package struct CaptureFile: Sendable {
    /// For example `image/jpeg`, from the file's content.
    package let contentType: String
    package let byteCount: Int64
    /// A picture's width times its height; 0 when it is unknown.
    package let pixelCount: Int
    /// Opens the file for reading. The caller closes the descriptor.
    package let open: @Sendable () async throws -> CInt

    package init(contentType: String, byteCount: Int64, pixelCount: Int = 0, open: @escaping @Sendable () async throws -> CInt) {
        self.contentType = contentType
        self.byteCount = byteCount
        self.pixelCount = pixelCount
        self.open = open
    }
}
