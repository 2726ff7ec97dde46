import Core
import Database
import Media

extension ChatStore {
    private static let newest = Keyset(.descending, "chat_conversation.updated_at", "chat_conversation.id")

    static func conversations(owner: String, after key: TimeKey?, limit: Int) -> SQL {
        "\(sql: StoredConversation.table.select) WHERE chat_conversation.owner = \(owner) AND chat_conversation.deleted_at IS NULL"
            + newest.page(after: key?.sql, limit: limit)
    }

    static func conversation(_ id: String, owner: String) -> SQL {
        "\(sql: StoredConversation.table.select) WHERE owner = \(owner) AND id = \(id) AND deleted_at IS NULL"
    }

    /// - Parameter ids: at least one.
    static func conversations(_ ids: [String], owner: String) -> SQL {
        "\(sql: StoredConversation.table.select) WHERE owner = \(owner) AND id IN (\(sql: .list(ids))) AND deleted_at IS NULL"
    }

    static func message(_ id: String, owner: String) -> SQL {
        "\(sql: StoredMessage.table.select) WHERE owner = \(owner) AND id = \(id)"
    }

    /// - Parameter ids: at least one.
    static func messages(_ ids: [String], owner: String) -> SQL {
        "\(sql: StoredMessage.table.select) WHERE owner = \(owner) AND id IN (\(sql: .list(ids)))"
    }

    static func sizes(_ ids: [String], owner: String) -> SQL {
        "SELECT id, \(sql: TextMeasure.bytes.sql) AS size FROM chat_message WHERE owner = \(owner) AND id IN (\(sql: .list(ids)))"
    }

    /// The messages at the positions from `first` to before `end`, oldest first.
    static func messages(of conversation: String, owner: String, from first: Int64, before end: Int64) -> SQL {
        """
        \(sql: StoredMessage.table.select) WHERE owner = \(owner) AND conversation = \(conversation)
            AND position >= \(first) AND position < \(end)
        ORDER BY position
        """
    }

    /// What a query counts as the length of a message.
    enum TextMeasure {
        /// The bytes of the text, and 1 KB for each file that the message holds: a response shows the file's name, type and path.
        case bytes
        /// The characters of the text alone.
        case characters

        /// What a message takes in a response besides the length that the query counts, in bytes. A response contains each text twice, so
        /// this is half of the rest of the message's JSON. With it, a page of ordinary messages takes less than 4 MB.
        var frameByteCount: Int64 {
            switch self {
            case .bytes: 320
            case .characters: 0
            }
        }

        fileprivate var sql: SQL {
            switch self {
            // PostgreSQL and SQLite have no common function for the bytes of a text, so the query computes them from `row_bytes`.
            case .bytes:
                """
                ((chat_message.row_bytes - \(RowBytes.row)) / \(RowBytes.searchable) + 1024 * (
                    SELECT COUNT(*) FROM chat_message_file AS held
                    WHERE held.owner = chat_message.owner AND held.message = chat_message.id))
                """
            case .characters: "length(text)"
            }
        }
    }

    /// The lengths of messages, the latest message first.
    static func lengths(of conversation: String, owner: String, before end: Int64, limit: Int, in measure: TextMeasure) -> SQL {
        """
        SELECT position, \(sql: measure.sql) AS length FROM chat_message
        WHERE owner = \(owner) AND conversation = \(conversation) AND position < \(end)
        ORDER BY position DESC LIMIT \(limit)
        """
    }

    /// - Parameter messages: at least one.
    static func files(of messages: [String], owner: String) -> SQL {
        """
        SELECT message, file, position FROM chat_message_file WHERE owner = \(owner) AND message IN (\(sql: .list(messages)))
        """
    }

    /// The messages that hold these files. If very many messages hold a file, the query finds only some of them.
    /// - Parameter files: at least one.
    static func holders(of files: [String], owner: String) -> SQL {
        """
        SELECT file, message FROM chat_message_file WHERE file IN (\(sql: .list(files))) AND \(sql: .owned(by: owner)) LIMIT 500
        """
    }

    static func answer(to question: String, owner: String) -> SQL {
        "\(sql: StoredMessage.table.select) WHERE owner = \(owner) AND question = \(question)"
    }

    /// The answer that was begun last in the conversation.
    static func latestAnswer(in conversation: String, owner: String) -> SQL {
        """
        \(sql: StoredMessage.table.select) WHERE owner = \(owner) AND conversation = \(conversation) AND question IS NOT NULL
        ORDER BY position DESC LIMIT 1
        """
    }

    /// The answers that are being written.
    static func writing(in conversation: String, owner: String) -> SQL {
        """
        \(sql: StoredMessage.table.select)
        WHERE owner = \(owner) AND conversation = \(conversation) AND lease_until IS NOT NULL
        """
    }

    /// - Parameter first: the number of the first piece to read.
    static func pieces(of message: String, owner: String, from first: Int64) -> SQL {
        """
        SELECT first, texts FROM chat_piece WHERE owner = \(owner) AND message = \(message) AND last >= \(first) ORDER BY first
        """
    }

    static func abandoned(before now: Timestamp) -> SQL {
        "\(sql: StoredMessage.table.select) WHERE lease_until < \(now) ORDER BY lease_until LIMIT 100"
    }

    static func ended(before moment: Timestamp, limit: Int) -> SQL {
        "SELECT owner, id, row_bytes FROM chat_message WHERE ended_at < \(moment) ORDER BY ended_at LIMIT \(limit)"
    }

    static func deletedConversations(before moment: Timestamp) -> SQL {
        "SELECT owner, id FROM chat_conversation WHERE deleted_at < \(moment) ORDER BY deleted_at LIMIT 20"
    }

    /// Some messages of a conversation that is being deleted. For each it returns the bytes that the message counts alone, and the bytes
    /// that it counts with its files, which may have texts in the search index as well. The pieces of an answer that is being written are
    /// not counted.
    static func someMessages(of conversation: String, owner: String, limit: Int) -> SQL {
        """
        SELECT id, row_bytes AS own_bytes, CASE WHEN state <> 'writing' THEN row_bytes + COALESCE((
            SELECT CAST(SUM(chat_file.row_bytes) AS BIGINT)
            FROM chat_message_file AS held JOIN chat_file ON chat_file.id = held.file
            WHERE held.owner = chat_message.owner AND held.message = chat_message.id), 0) END AS row_bytes
        FROM chat_message WHERE owner = \(owner) AND conversation = \(conversation)
        ORDER BY position LIMIT \(limit)
        """
    }

    /// Some files of a message, and the bytes that each counts.
    static func someFiles(of message: String, owner: String, limit: Int) -> SQL {
        """
        SELECT held.file AS id, chat_file.row_bytes FROM chat_message_file AS held JOIN chat_file ON chat_file.id = held.file
        WHERE held.owner = \(owner) AND held.message = \(message) ORDER BY held.file LIMIT \(limit)
        """
    }

    /// Selects those of the files that are attached to at most `count` messages. For each file it reads at most `count` + 1 entries of an
    /// index, even if the file is attached to many messages.
    /// - Parameters:
    ///   - files: at least one, of one account.
    ///   - count: how many messages hold each of the files and are about to be deleted; 0 selects the files that no message holds.
    static func unheld(_ files: [String], besides count: Int = 0) -> SQL {
        "SELECT id FROM chat_file WHERE id IN (\(sql: .list(files))) AND \(sql: holder(count + 1)) IS DISTINCT FROM id"
    }

    /// Selects those of the files that are attached to `ChatRules.holderCount` messages or more.
    /// - Parameter files: at least one, of one account.
    static func full(_ files: [String]) -> SQL {
        "SELECT id FROM chat_file WHERE id IN (\(sql: .list(files))) AND \(sql: holder(ChatRules.holderCount)) = id"
    }

    /// The file in an index entry: entry 1 is the first one of `chat_file.id`, and `number` counts on from there. The result is another
    /// file, or NULL, if fewer messages hold `chat_file.id`. The query uses `>=` and an order, because with `=` PostgreSQL might read the
    /// whole table to find that no message holds the file.
    private static func holder(_ number: Int) -> SQL {
        """
        (SELECT held.file FROM chat_message_file AS held WHERE held.file >= chat_file.id
        ORDER BY held.file LIMIT 1 OFFSET \(number - 1))
        """
    }
}
