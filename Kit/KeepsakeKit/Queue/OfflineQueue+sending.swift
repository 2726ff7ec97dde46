import Foundation
import HTTPTypes
import KeepsakeWire

extension OfflineQueue {
    /// The pause before the queue reads the folder again, to which another process may have added entries.
    private static let idlePause = Duration.seconds(5)
    private static let busyPause = Duration.seconds(1)
    /// A sign-in in this process ends this pause early; a sign-in in another process does not.
    private static let signInPause = Duration.seconds(60)
    /// An entry becomes uncertain this long before the server may delete its key, because clocks differ and networks are slow. The margin
    /// is at most half of the time for which the server keeps the key.
    private static let keyMargin: TimeInterval = 3_600

    // MARK: Control

    /// Sends entries until `stop` is called. Until then the queue object stays in memory. A second call does nothing. If `stop` is still
    /// waiting for a request to end, the queue starts after that.
    public func start() {
        guard loop?.isCancelled ?? true else { return }
        let ending = loop
        // Do not set the status to `idle` before the queue has read the folder: an app would take that for an empty queue.
        loop = Task {
            await ending?.value
            await self.run()
        }
    }

    /// Stops sending. It returns when no request is in flight and all locks are released. An entry that was being sent stays in the queue.
    public func stop() async {
        let (ending, sending) = (loop, draining)
        ending?.cancel()
        sending?.cancel()
        pause?.cancel()
        await ending?.value
        _ = await sending?.value
        // If the app came back to the foreground, it may have called `start` in the meantime.
        guard loop == ending else { return }
        loop = nil
        notify(status: .stopped)
    }

    /// Tries to send at once instead of waiting. Call it when the network comes back or the app comes to the foreground.
    public func wake() {
        wakeCount += 1
        pause?.cancel()
    }

    /// Sends now what can be sent, in the order of the queue. Returns when no entry is left or an entry has to wait. It works without
    /// `start`, for example in a background task.
    ///
    /// When the background task's time is up, cancel the task that calls `flush`: then it returns soon. If you have called `start`, also
    /// call `stop`, because the queue goes on sending.
    /// - Returns: `idle` when no entry waits any more, `stopped` after a cancellation; otherwise the reason why an entry waits.
    @discardableResult
    public func flush() async -> QueueStatus {
        let outcome = await drain()
        // If `flush` was cancelled, the queue that `start` began goes on, so its status stays.
        if loop == nil || outcome != .stopped { notify(status: loop == nil && outcome == .idle ? .stopped : outcome) }
        return outcome
    }

    private func run() async {
        let watcher = Task {
            for await _ in await client.session.states() { self.wake() }
        }
        defer { watcher.cancel() }
        var failures = 0
        while !Task.isCancelled {
            let (woken, sent) = (wakeCount, sentCount)
            let outcome = await drain()
            guard !Task.isCancelled else { return }
            if outcome != .stopped { notify(status: outcome) }
            switch outcome {
            case .idle, .stopped, .sending:
                failures = 0
                await rest(Self.idlePause, unless: woken)
            case .busy: await rest(Self.busyPause, unless: woken)
            case .needsSignIn: await rest(Self.signInPause, unless: woken)
            case .waiting(let error):
                failures = sentCount > sent ? 1 : failures + 1
                await rest(
                    client.retries.wait(afterAttempt: failures, retryAfter: error.retryAfter, client.randomness), unless: woken)
            }
        }
    }

    /// Waits. `wake` ends the wait early.
    private func rest(_ duration: Duration, unless woken: Int) async {
        guard woken == wakeCount else { return }
        let clock = client.clock
        let task = Task { _ = try? await clock.sleep(duration) }
        pause = task
        await task.value
    }

    // MARK: Sending

    /// Sends entries. Only one such task runs at a time in this process. The file lock keeps other processes from sending at the same time.
    private func drain() async -> QueueStatus {
        if let draining { return await Self.end(of: draining) }
        let task = Task { await self.work() }
        draining = task
        defer { if draining == task { draining = nil } }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Waits until the sending that another call began has ended.
    /// - Returns: `stopped` if this call is cancelled before that. The other call goes on.
    private static func end(of draining: Task<QueueStatus, Never>) async -> QueueStatus {
        let (ends, end) = AsyncStream.makeStream(of: QueueStatus.self)
        // `await draining.value` would keep waiting after this call is cancelled, so another task awaits it. That task ends when the
        // sending ends, even if this call no longer waits.
        Task {
            end.yield(await draining.value)
            end.finish()
        }
        for await status in ends { return status }
        return .stopped
    }

    private func work() async -> QueueStatus {
        do {
            let owner = try await client.session.identity()
            let scope = folder.scope(of: owner.userID)
            guard try !scope.names(.waiting).isEmpty else { return .idle }
            guard let lock = try FileLock.attempt(scope.sendingLock) else { return .busy }
            defer { withExtendedLifetime(lock) {} }
            scope.sweep()
            isStale = true
            // Names of the entries that this version cannot read.
            var skipped: Set<String> = []
            while true {
                if Task.isCancelled { return .stopped }
                guard let name = try next(in: scope, without: skipped) else { return .idle }
                notify(status: .sending)
                guard let entry = try scope.load(name, .waiting) else {
                    skipped.insert(name)
                    continue
                }
                if let stop = try await send(entry, name, scope, owner.sessionID) { return stop }
            }
        } catch let error as KeepsakeError {
            return [.signedOut, .sessionChanged].contains(error.code) ? .needsSignIn(error) : .waiting(error)
        } catch {
            // The cause is, for example, a full disk or a locked device.
            return .waiting(KeepsakeError(.storeUnavailable, "The queue's folder cannot be used now: \(error.localizedDescription)"))
        }
    }

    private func next(in scope: QueueScope, without skipped: Set<String>) throws -> String? {
        if isStale || upcoming.isEmpty {
            upcoming = try scope.names(.waiting).filter { !skipped.contains($0) }.reversed()
            isStale = false
        }
        return upcoming.popLast()
    }

    /// Sends the remaining requests of an entry.
    /// - Returns: `nil` when the next entry may follow.
    private func send(_ stored: StoredEntry, _ name: String, _ scope: QueueScope, _ session: StoredSession.ID) async throws -> QueueStatus?
    {
        var entry = stored
        var wasSent = false
        do {
            var last = Data()
            while entry.step < entry.steps.count {
                // This request shows whether there is a network at all, so that an attempt that cannot arrive does not count. It also tells
                // the server's time.
                if !isReachable, let stop = await reach(scope.userID, session) { return stop }
                let step = entry.steps[entry.step]
                let now = await client.session.time
                wasSent = entry.firstAttemptAt != nil
                if step.key != nil, let first = entry.firstAttemptAt, now.timeIntervalSince(first) >= keyLimit {
                    try hold(&entry, .uncertain, entry.failure, name, scope)
                    return nil
                }
                entry.attempts += 1
                if entry.firstAttemptAt == nil { entry.firstAttemptAt = now }
                // Record the attempt before the request, so that it is known after a crash.
                guard try scope.save(entry, name, .waiting, isDurable: !wasSent) else { return nil }
                last = try await request(step, &entry, name, scope, session)
                sentCount += 1
                entry.step += 1
                guard entry.step < entry.steps.count else { break }
                entry.firstAttemptAt = nil
                guard try scope.save(entry, name, .waiting) else { return nil }
            }
            try finish(entry, last, name, scope)
            return nil
        } catch let error as KeepsakeError {
            return try await settle(error, &entry, wasSent: wasSent, name, scope, session)
        }
    }

    private var keyLimit: TimeInterval { keyLifetime - min(Self.keyMargin, keyLifetime / 2) }

    private func request(
        _ step: StoredEntry.Step, _ entry: inout StoredEntry, _ name: String, _ scope: QueueScope, _ session: StoredSession.ID
    ) async throws -> Data {
        let (client, captures, folder, values) = (client, captures, scope.folder(name, .waiting), entry.values)
        let path = try Self.path(step.path, values)
        let progress = QueueProgress(of: entry, in: folder, subscribers)
        let task = Task {
            if step.method == StoredEntry.Step.capture { return try await captures.send(step, values, in: folder, sessionID: session) }
            return try await client.send(step, path: path, in: folder, sessionID: session, progress: progress?.report)
        }
        current = (entry.id, task)
        notify(.changed(shown(entry, .sending)))
        defer { current = nil }
        let response = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        for (mark, place) in step.takes { entry.values[mark] = try Self.value(at: place, in: response.body) }
        return response.body
    }

    /// Replaces placeholders, for example that of a capsule's id, with values from the responses so far.
    private static func path(_ path: String, _ values: [String: String]) throws -> String {
        try values.reduce(path) { path, value in
            guard value.key.hasPrefix("~"), path.contains(value.key) else { return path }
            guard value.value.utf8.allSatisfy(isPlain) else {
                throw KeepsakeError(.invalidResponse, "The server's id has characters that ids do not have.", status: 200)
            }
            return path.replacingOccurrences(of: value.key, with: value.value)
        }
    }

    private static func value(at place: [String], in json: Data) throws -> String {
        var value = try? JSONDecoder().decode(JSONValue.self, from: json)
        for name in place {
            guard case .object(let members) = value else { break }
            value = members[name]
        }
        guard case .string(let text) = value, !text.isEmpty else {
            throw KeepsakeError(.invalidResponse, "The response has no \(place.joined(separator: ".")).", status: 200)
        }
        return text
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Requests the account from the server, once. The queue repeats this itself.
    /// - Returns: `nil` if the server can be reached and accepts the account.
    private func reach(_ userID: String, _ session: StoredSession.ID) async -> QueueStatus? {
        do {
            let user = try await client.send(AccountEndpoints.me, .init(sessionID: session, repeats: false)) { _ in Empty() }
            guard user.id == userID else {
                return .needsSignIn(KeepsakeError(.sessionChanged, "The session belongs to another account."))
            }
            isReachable = true
            return nil
        } catch let error as KeepsakeError {
            if Task.isCancelled { return .stopped }
            let isRefused = [401, 403].contains(error.status) && error.requestID != nil
            return isRefused || [.signedOut, .sessionChanged].contains(error.code) ? .needsSignIn(error) : .waiting(error)
        } catch {
            return .waiting(KeepsakeError(transport: error))
        }
    }

    // MARK: What becomes of an entry

    private func finish(_ entry: StoredEntry, _ response: Data, _ name: String, _ scope: QueueScope) throws {
        // If the entry does not exist any more, the app has cancelled it in the meantime.
        guard try scope.remove(name, .waiting) else { return }
        notify(.sent(shown(entry, .sending), response: response))
    }

    private func settle(
        _ failure: KeepsakeError, _ entry: inout StoredEntry, wasSent: Bool, _ name: String, _ scope: QueueScope,
        _ session: StoredSession.ID
    ) async throws -> QueueStatus? {
        // Without a response from the server, the queue checks before the next attempt whether there is a network.
        isReachable = isReachable && failure.requestID != nil
        if Task.isCancelled { return .stopped }
        // If the app has cancelled the entry, there is nothing left to do.
        if failure.code == .cancelled, try scope.load(name, .waiting) == nil { return nil }
        let age = await client.session.time.timeIntervalSince(entry.firstAttemptAt ?? .distantFuture)
        var cause = failure
        var verdict = QueueRules.verdict(failure, attempts: entry.attempts, wasSent: wasSent, age: age)
        // The account may be suspended. Then each of its entries would be refused in the same way, so stop instead of parking them all.
        if failure.status == 403, verdict == .park, let stop = await reach(scope.userID, session) { return stop }
        if failure.code == .idInUse, wasSent {
            let readFailure = await readError(entry, in: scope.folder(name, .waiting), session)
            if readFailure?.status == 404, readFailure?.requestID != nil {
                // The capture was deleted. The socket's code does not tell this from another capture with the same id.
                try finish(entry, Data(), name, scope)
                return nil
            }
            if Task.isCancelled { return .stopped }
            if let readFailure {
                let next = QueueRules.verdict(readFailure, attempts: entry.attempts, wasSent: wasSent, age: age)
                // For example, the network was lost in the meantime. The next attempt checks again whether the capture was deleted.
                if next == .wait || next == .needsSignIn {
                    isReachable = isReachable && readFailure.requestID != nil
                    (cause, verdict) = (readFailure, next)
                }
            }
        }
        switch verdict {
        case .park:
            try hold(&entry, .parked, .init(cause), name, scope)
            return nil
        case .isGone:
            if entry.step < entry.steps.count - 1, entry.steps.last?.method == StoredEntry.Step.capture {
                // Only the file was deleted, for example because another one has replaced it. The capture itself was never sent.
                entry.step += 1
                entry.firstAttemptAt = nil
                isStale = true
                _ = try scope.save(entry, name, .waiting)
            } else {
                try finish(entry, Data(), name, scope)
            }
            return nil
        case .wait, .needsSignIn:
            entry.failure = .init(cause)
            if try scope.save(entry, name, .waiting, isDurable: false) { notify(.changed(QueueEntry(entry, .waiting))) }
            isStale = true
            return verdict == .wait ? .waiting(cause) : .needsSignIn(cause)
        }
    }

    /// Tries to read the entry's capture from the server.
    /// - Returns: the error; `nil` when the server has the capture, or the entry contains none.
    private func readError(_ entry: StoredEntry, in folder: String, _ session: StoredSession.ID) async -> KeepsakeError? {
        let capture: CaptureInput
        do {
            capture = try entry.steps[entry.step].capture(in: folder)
        } catch {
            return (error as? KeepsakeError)?.code == .storeUnavailable ? KeepsakeError(transport: error) : nil
        }
        do {
            _ = try await client.send(CaptureEndpoints.read, .init(sessionID: session, repeats: false)) { _ in ItemPath(id: capture.id) }
            return nil
        } catch {
            return KeepsakeError(transport: error)
        }
    }

    private func hold(
        _ entry: inout StoredEntry, _ reason: StoredEntry.HoldReason, _ failure: StoredEntry.Failure?, _ name: String, _ scope: QueueScope
    ) throws {
        entry.hold = reason
        entry.failure = failure
        guard try scope.save(entry, name, .waiting), try scope.move(name, from: .waiting, to: .held) else { return }
        notify(.changed(QueueEntry(entry, .held)))
    }

    private func shown(_ entry: StoredEntry, _ state: QueueEntry.State) -> QueueEntry {
        var shown = QueueEntry(entry, .waiting)
        shown.state = state
        return shown
    }
}
