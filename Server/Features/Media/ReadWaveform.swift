import Core
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/multimedia/files/{fileId}/waveform`: the peaks of an audio file, for drawing its waveform.
struct ReadWaveform: Sendable {
    let store: MediaStore

    func handle(_ input: WaveformInput, _ context: WebContext) async throws -> Waveform {
        guard let peaks = try await store.peaks(input.fileId, owner: context.requireViewer().accountID) else {
            throw Problem(.notFound, "There is no such audio file.")
        }
        return Waveform(peaks: peaks.map { (Double($0) / 255 * 1_000).rounded() / 1_000 })
    }
}
