internal import Core
internal import Logging

extension JobRunner {
    /// How an attempt ended.
    enum Ending: Sendable {
        case done
        /// - Parameter after: the shortest pause before the retry.
        case failed(String, isPermanent: Bool, after: Duration = .zero)
        /// Returned without a failure because the server stops.
        case back
    }

    /// Runs an attempt and writes its result.
    func attempt(_ running: RunningJob) async {
        guard let handler = handlers[running.job.kind] else { return }
        let (result, stop) = await handle(running, handler)
        var metadata: Logger.Metadata = [
            "job": "\(running.job.lease.id)", "kind": "\(running.job.kind)", "attempt": .stringConvertible(running.job.lease.attempt),
        ]
        if case .failure(let error) = result { metadata["error"] = "\(JobErrorText.of(error))" }
        if running.isCompleted {
            if case .failure = result { logger.error("a handler failed after its job was completed", metadata: metadata) }
            return
        }
        switch (result, stop) {
        case (_, .lost), (.failure(is LeaseLost), _):
            logger.warning("another worker took over a job; this attempt's result is discarded", metadata: metadata)
        case (_, .timeout):
            await settle(running, giving: .failed("the attempt took longer than \(handler.policy.timeout)", isPermanent: false))
        case (.failure(let failure as JobFailure), _):
            var pause = Duration.zero
            if case .temporary(_, let after) = failure { pause = after }
            await settle(running, giving: .failed(JobErrorText.of(failure), isPermanent: failure.isPermanent, after: pause))
        // This applies even if the handler returned: it may have returned because it was cancelled.
        case _ where stop == .shutdown || Task.isCancelled:
            await settle(running, giving: .back)
        case (.success, _):
            await settle(running, giving: .done)
        case (.failure(let error), _):
            await settle(running, giving: .failed(JobErrorText.of(error), isPermanent: false))
        }
    }

    private enum Step: Sendable {
        case ended(Result<Void, any Error>)
        case stopped(RunningJob.Stop)
        case idle
    }

    /// Runs the handler until it ends, and cancels it when the attempt is stopped.
    private func handle(_ running: RunningJob, _ handler: JobHandler) async -> (Result<Void, any Error>, RunningJob.Stop?) {
        await withTaskGroup(of: Step.self) { group in
            group.addTask { [leases] in
                do {
                    try Task.checkCancellation()
                    return .ended(.success(try await handler.run(running, leases)))
                } catch {
                    return .ended(.failure(error))
                }
            }
            group.addTask {
                for await stop in running.stops { return .stopped(stop) }
                return .idle
            }
            group.addTask { [sleep] in (try? await sleep(handler.policy.timeout)) == nil ? .idle : .stopped(.timeout) }
            var stop: RunningJob.Stop?
            for await step in group {
                switch step {
                case .ended(let result):
                    group.cancelAll()
                    return (result, stop)
                case .stopped(let reason):
                    stop = stop ?? reason
                    if reason == .timeout { running.renewNoMore() }
                    group.cancelAll()
                case .idle: break
                }
            }
            return (.failure(CancellationError()), stop)
        }
    }

    // MARK: The row's next state

    /// Writes the result, and retries while the lease is valid. If no write succeeds, the lease expires, and the worker that takes the job
    /// over counts the attempt.
    ///
    /// It also writes when the runner itself was cancelled: the write has its own task, and this function waits for it.
    func settle(_ running: RunningJob, giving ending: Ending) async {
        await Task {
            let end = ContinuousClock.now + options.lease
            var pause = Duration.milliseconds(100)
            while true {
                let failureCount = outage.failureCount
                do {
                    try await write(running, ending)
                    return outage.ended(since: failureCount, hasWritten: true)
                } catch is LeaseLost {
                    return logger.warning(
                        "another worker took over a job; this attempt's result is discarded", metadata: ["job": "\(running.job.lease.id)"])
                } catch {
                    outage.began(error)
                    guard ContinuousClock.now + pause < end, !runningJobs.isClosed, (try? await sleep(pause)) != nil else { return }
                    pause *= 2
                }
            }
        }.value
    }

    private func write(_ running: RunningJob, _ ending: Ending) async throws {
        let job = running.job
        switch ending {
        case .done:
            try await running.completing { try await leases.finish(job.lease) }
        case .back:
            guard try await leases.giveBack(job.lease) else { throw LeaseLost() }
        case .failed(let text, let isPermanent, let after):
            let error = JobErrorText.bounded(text)
            let metadata: Logger.Metadata = [
                "job": "\(job.lease.id)", "kind": "\(job.kind)", "attempt": .stringConvertible(job.lease.attempt), "error": "\(error)",
            ]
            if isPermanent || job.tries >= handlers[job.kind]?.policy.attempts ?? 1 {
                let whenParked = handlers[job.kind]?.whenParked
                let isParked = try await leases.park(job.lease, error: error) { tx in
                    try whenParked?(job.payload, job.owner, error, tx)
                }
                guard isParked else { throw LeaseLost() }
                logger.error("a job failed and was parked; `keepsake jobs retry` runs it again", metadata: metadata)
            } else {
                let pause = max(after, handlers[job.kind]?.policy.pause(after: job.tries, entropy) ?? .zero)
                guard try await leases.retry(job.lease, at: clock.now + pause, error: error) else { throw LeaseLost() }
                logger.warning("a job failed and will be tried again", metadata: metadata)
            }
        }
    }
}
