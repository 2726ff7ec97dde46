import Core

extension UploadSession {
    /// A file whose bytes are all here.
    struct Staged {
        let field: String
        let name: String?
        /// In the rules.
        let kindIndex: Int
        let kind: UploadRules.FileKind
        /// Among the request's files.
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
    }

    /// What goes on while the next file arrives: the file is synced, judged by the scanner, and examined. Owned by the session: awaited
    /// by `settle` and `abort`.
    struct Settling {
        let writer: any BlobWriter
        let scan: (any ScanStream)?
        let synced: Task<StagedBlob, any Error>
        /// `nil` where nothing is scanned.
        let verdict: Task<ScanVerdict, any Error>?
        let facts: Task<FileFacts, any Error>

        func abort() async {
            verdict?.cancel()
            facts.cancel()
            await scan?.abort()
            _ = await verdict?.result
            _ = await facts.result
            _ = await synced.result
            await writer.abort()
        }
    }

    /// A file of which everything is known, and nothing bad.
    struct Settled: Codable, Sendable {
        let blob: StagedBlob
        let facts: FileFacts
        let isScanned: Bool
    }

    func settling(_ file: OpenFile, type: String) -> Settling {
        let writer = file.writer!
        let gate = gate
        let synced = Task { try await writer.finish() }
        let verdict: Task<ScanVerdict, any Error>? = gate.scanner.map { scanner in
            guard let scan = file.scan else { return Task { try await gate.scan(try await synced.value, scanner) } }
            return Task { try await scan.finish() }
        }
        let facts = Task {
            let blob = try await synced.value
            guard let examiner = gate.examiner else { return FileFacts(type: type) }
            return try await examiner.examine(gate.store.openStaged(blob.key), type: type)
        }
        return Settling(writer: writer, scan: file.scan, synced: synced, verdict: verdict, facts: facts)
    }

    /// Waits for what is still to be said of the files; those that are refused are gone.
    func settle() async throws {
        var good: [Staged] = []
        let waiting = staged
        for (index, file) in waiting.enumerated() {
            do {
                var file = file
                file.state = .settled(try await settle(file))
                good.append(file)
            } catch {
                await file.abort(gate.store)
                allowance?.drop(file.number)
                staged = good + waiting[(index + 1)...]
                try refuse(name: file.name, field: file.field, number: file.number, kind: file.kind, error)
            }
        }
        staged = good
    }

    private func settle(_ file: Staged) async throws -> Settled {
        switch file.state {
        case .settled(let settled):
            // Kept by a program without a scanner: fails closed, so it is scanned now.
            guard let scanner = gate.scanner, !settled.isScanned else { return settled }
            try clean(try await gate.scan(settled.blob, scanner), field: file.field)
            return Settled(blob: settled.blob, facts: settled.facts, isScanned: true)
        case .settling(let settling):
            // Whatever is not explicitly clean leaves by the error's way.
            if let verdict = settling.verdict { try clean(try await verdict.value, field: file.field) }
            let facts = try await settling.facts.value
            guard gate.examiner == nil || file.kind.types.contains(facts.type) else { throw file.kind.refusal }
            return Settled(blob: try await settling.synced.value, facts: facts, isScanned: settling.verdict != nil)
        }
    }

    private func clean(_ verdict: ScanVerdict, field: String) throws {
        guard case .infected(let name) = verdict else { return }
        throw Problem(rules.infected, "The file carries a virus (\(name)).", field: field)
    }
}

extension UploadGate {
    /// Shows the scanner a file that is on the disk already.
    fileprivate func scan(_ blob: StagedBlob, _ scanner: any UploadScanner) async throws -> ScanVerdict {
        let reader = try await store.openStaged(blob.key)
        let scan = scanner.scan()
        do {
            for try await chunk in reader.chunks(in: 0..<blob.byteCount) { try await scan.append(chunk) }
            return try await scan.finish()
        } catch {
            await scan.abort()
            throw error
        }
    }
}
