import Core

extension UploadSession {
    /// A file whose bytes have all arrived.
    struct Staged {
        let field: String
        let name: String?
        /// The index of its kind in the rules.
        let kindIndex: Int
        let kind: UploadRules.FileKind
        /// The number of the file within the request.
        let number: Int
        var state: State

        enum State {
            case settling(Settling)
            case settled(Settled)
        }

        init(_ file: OpenFile, type: String, state: State) {
            field = file.field
            name = file.name
            kindIndex = file.kindIndex
            kind = file.kind
            number = file.number
            self.state = state
        }

        init(field: String, name: String?, kindIndex: Int, kind: UploadRules.FileKind, number: Int, settled: Settled) {
            self.field = field
            self.name = name
            self.kindIndex = kindIndex
            self.kind = kind
            self.number = number
            state = .settled(settled)
        }

        func abort(_ store: any BlobStore) async {
            switch state {
            case .settling(let settling): await settling.abort()
            case .settled(let settled): try? await store.delete(settled.blob.key)
            }
        }

        /// Ends the work on the file and keeps its bytes.
        func leave() async {
            if case .settling(let settling) = state { await settling.stop() }
        }
    }

    /// The work on a file while the next one arrives: sync, virus scan and examination. The session owns these tasks; `settle` and `abort`
    /// wait for them.
    struct Settling {
        let writer: any BlobWriter
        /// The scan of the file while it arrived, and the scan of the complete file.
        let scans: [any ScanStream]
        let synced: Task<StagedBlob, any Error>
        /// `nil` when virus scanning is off.
        let verdict: Task<ScanVerdict, any Error>?
        let facts: Task<FileFacts, any Error>

        func abort() async {
            await stop()
            await writer.abort()
        }

        func stop() async {
            verdict?.cancel()
            facts.cancel()
            for scan in scans { await scan.abort() }
            _ = await verdict?.result
            _ = await facts.result
            _ = await synced.result
        }
    }

    /// A file that passed the virus scan and the examination.
    struct Settled: Codable, Sendable {
        let blob: StagedBlob
        let facts: FileFacts
        let isScanned: Bool
    }

    func settling(_ file: OpenFile, type: String) -> Settling {
        let writer = file.writer!
        let gate = gate
        let spool = file.spool
        let accepted = file.kind.types
        let synced = Task { try await writer.finish() }
        let arriving = file.scan
        let complete = gate.scanner?.scan()
        let completeScans = completeScans
        let verdict: Task<ScanVerdict, any Error>? = complete.map { complete in
            Task {
                do {
                    if let arriving { return try await arriving.finish() }
                } catch is ScanPostponed {}
                let blob = try await synced.value
                return try await completeScans.withPermit(for: .current) { try await gate.scan(blob, with: complete) }
            }
        }
        let facts: Task<FileFacts, any Error> = Task {
            defer { spool?.giveUp() }
            let blob = try await synced.value
            guard let examiner = gate.examiner else { return FileFacts(type: type) }
            let staged = StagedFile(blob: blob, store: gate.store, spool: spool, files: gate.files)
            do {
                return try await examiner.examine(staged, type: type, accepted: accepted)
            } catch let refusal as FileRefused {
                // The file is refused whatever the scanner would say. If the scan still waits for the scanner, this ends it; if the scan
                // has begun, it continues.
                verdict?.cancel()
                throw refusal
            }
        }
        return Settling(writer: writer, scans: [arriving, complete].compactMap { $0 }, synced: synced, verdict: verdict, facts: facts)
    }

    /// Waits for the scans and examinations that are still running, and deletes the files that are refused. If another error ends a resumable
    /// session, for example because the scanner or the object store is unavailable, its files stay for the session that resumes it: the last
    /// checkpoint names them.
    func settle() async throws {
        var good: [Staged] = []
        let waiting = staged
        for (index, file) in waiting.enumerated() {
            do {
                var file = file
                file.state = .settled(try await settle(file))
                good.append(file)
            } catch {
                if keepsCheckpoint(after: error) {
                    for file in waiting[index...] { await file.leave() }
                    staged = good + waiting[index...]
                    try refuse(name: file.name, field: file.field, number: file.number, kind: file.kind, error)
                    throw error
                }
                await file.abort(gate.store)
                allowance?.returnBytes(ofFile: file.number)
                staged = good + waiting[(index + 1)...]
                try refuse(name: file.name, field: file.field, number: file.number, kind: file.kind, error)
            }
        }
        staged = good
    }

    private func settle(_ file: Staged) async throws -> Settled {
        switch file.state {
        case .settled(let settled):
            // A file that is not scanned yet comes from a checkpoint of a server without a scanner, so it is scanned now.
            guard let scanner = gate.scanner, !settled.isScanned else { return settled }
            try clean(try await gate.scan(settled.blob, with: scanner.scan()), field: file.field)
            return Settled(blob: settled.blob, facts: settled.facts, isScanned: true)
        case .settling(let settling):
            // Only an explicit "clean" verdict continues; everything else throws.
            if let verdict = settling.verdict { try clean(try await self.verdict(verdict, settling), field: file.field) }
            let facts = try await settling.facts.value
            guard gate.examiner == nil || file.kind.types.contains(facts.type) else { throw file.kind.refusal }
            return Settled(blob: try await settling.synced.value, facts: facts, isScanned: settling.verdict != nil)
        }
    }

    /// - Throws: the refusal of the examination, if that is why there is no verdict; otherwise the scanner's error.
    private func verdict(_ verdict: Task<ScanVerdict, any Error>, _ settling: Settling) async throws -> ScanVerdict {
        do {
            return try await verdict.value
        } catch {
            if verdict.isCancelled { _ = try await settling.facts.value }
            throw error
        }
    }

    private func clean(_ verdict: ScanVerdict, field: String) throws {
        guard case .infected(let name) = verdict else { return }
        throw Problem(rules.infected, "The file contains a virus (\(name)).", field: field)
    }
}

extension UploadGate {
    /// Scans a file that is already on the disk.
    fileprivate func scan(_ blob: StagedBlob, with scan: any ScanStream) async throws -> ScanVerdict {
        do {
            // The scan is prepared before the file is opened, because a reader holds the file's first bytes while the scan waits for the
            // scanner.
            try await scan.prepare()
            let reader = try await store.openStaged(blob.key)
            for try await chunk in reader.chunks(in: 0..<blob.byteCount, chunkSize: 65_536) { try await scan.append(chunk) }
            return try await scan.finish()
        } catch {
            await scan.abort()
            throw error
        }
    }
}
