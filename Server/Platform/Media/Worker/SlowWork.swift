internal import Core
internal import MediaFrames
internal import Synchronization

/// Remembers the requesters that have had a file whose short work took too long. Each kind of work counts separately: an ordinary HEIC
/// takes seconds to decode on a slow machine, but no ordinary header or document takes long to read. So the uploads of an account with
/// such pictures do not wait for long work.
///
/// Whoever may see a file can request copies of it that its owner never needs, such as very large ones. So the owner is remembered only if
/// its own account requested the slow work. Otherwise that file is remembered, and, for the requester, all files of the same owner.
///
/// The first slow work of each account begins as short work. So that an attacker with many accounts does not have much of it, all work of a
/// kind that a network requests is long work once `manyAccounts` of its accounts had slow work of this kind within ten minutes.
final class SlowWork: Sendable {
    enum Kind {
        /// Copies and analyses of pictures.
        case copies
        /// Inspections of pictures, and copies without metadata.
        case pictureHeaders
        /// Checks of documents.
        case documents
        case texts
        case filmHeaders
        /// Counting the samples of sound.
        case soundHeaders
        /// Decoding sound, which another program does.
        case decodedSound

        init(_ job: MediaJob) {
            switch job {
            case .variant, .measure: self = .copies
            case .inspect, .strip: self = .pictureHeaders
            case .document: self = .documents
            case .text: self = .texts
            case .film: self = .filmHeaders
            case .sound: self = .soundHeaders
            }
        }

        /// Whether the network of an account is remembered too. An ordinary picture that is slow on a slow machine must not delay the
        /// thumbnails of all other accounts of its network.
        fileprivate var includesNetworks: Bool { self == .decodedSound }
    }

    /// Slow work on a file that its owner did not request.
    private enum Foreign: Hashable, Sendable {
        case file(String)
        case files(owner: String, requester: Requester.Share)
    }

    /// An account whose work was slow, or the owner of the file if no account requested it, and the network from which it was requested.
    private struct SlowAccount: Hashable, Sendable {
        let account: String
        let network: Network
    }

    private struct State: Sendable {
        var requesters: [Kind: SlowRequesters] = [:]
        var foreign: [Kind: RecentlySlow<Foreign>] = [:]
        var accounts: [Kind: RecentlySlow<SlowAccount>] = [:]

        /// Whether many accounts of the network had slow work.
        func hasManySlowAccounts(_ network: Network?, of kind: Kind, at now: ContinuousClock.Instant) -> Bool {
            guard let network, let accounts = accounts[kind] else { return false }
            return accounts.count(at: now) { $0.network == network } >= SlowWork.manyAccounts
        }
    }

    /// On a slow machine, the ordinary pictures of a few accounts of one household may be slow.
    static let manyAccounts = 4

    private let state = Mutex(State())

    /// Whether work of this kind is long work for the requester.
    /// - Parameter file: the stored file; `nil` for a file of the requester's own.
    func contains(_ requester: Requester, of kind: Kind, file: OwnedFile? = nil, at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state -> Bool in
            let account = file?.requester ?? requester
            if let slow = state.requesters[kind], slow.contains(account, at: now) { return true }
            if state.hasManySlowAccounts(requester.network, of: kind, at: now) { return true }
            guard let file, let foreign = state.foreign[kind] else { return false }
            if foreign.contains(.file(file.name), at: now) { return true }
            return foreign.contains(.files(owner: file.owner, requester: requester.share), at: now)
        }
    }

    /// Whether work of the job's kind is long work for the requester.
    func contains(_ requester: Requester, for job: MediaJob, file: OwnedFile? = nil, at now: ContinuousClock.Instant) -> Bool {
        contains(requester, of: Kind(job), file: file, at: now)
    }

    /// - Parameter file: as for `contains`.
    func add(_ requester: Requester, of kind: Kind, file: OwnedFile? = nil, at now: ContinuousClock.Instant) {
        state.withLock { state in
            // A signed link names no account. Then each owner whose files are slow counts.
            if let account = requester.account ?? file?.owner, let network = requester.network {
                state.accounts[kind, default: RecentlySlow()].add(SlowAccount(account: account, network: network), at: now)
            }
            if let file, file.owner != requester.account {
                var foreign = state.foreign[kind] ?? RecentlySlow<Foreign>()
                foreign.add(.file(file.name), at: now)
                foreign.add(.files(owner: file.owner, requester: requester.share), at: now)
                state.foreign[kind] = foreign
            } else {
                let account = file?.requester ?? requester
                state.requesters[kind, default: SlowRequesters(includesNetworks: kind.includesNetworks)].add(account, at: now)
            }
        }
    }

    /// If a short job used more processor time than short work may, remembers it. This includes a job that failed, or whose caller has
    /// gone.
    /// - Parameters:
    ///   - time: the processor time that the job used.
    ///   - limit: as `MediaWorkerOptions.quickTimeout`.
    func note(_ job: WaitingJob, used time: Duration, limit: Duration?) {
        guard let limit, time >= limit, case .picture(let work, _, _) = job.work else { return }
        add(job.requester, of: Kind(work), file: job.file, at: .now)
    }
}
