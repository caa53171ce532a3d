import Channels
import Foundation
import GRDB
import Synchronization

/// The damaged compressed segments and heartbeat series that reads have skipped. Each is reported once.
package final class DamagedBlocks: Sendable {
  private struct State {
    /// The damage in the order of discovery.
    var known: [Damage] = []
    /// The IDs of compressed segments on damaged pages of the file.
    var torn: Set<Int64> = []
  }

  /// What is damaged, and where it is stored.
  fileprivate struct Damage {
    enum Position {
      /// The ID of a compressed segment's row in the table `block`.
      case segment(Int64)
      /// The UUID of the series sample whose data is damaged.
      case series(UUID)
    }

    /// A description of the damage for the user.
    var text: String
    var position: Position
  }

  private let state = Mutex(State())
  private let reports = Broadcast<String>(newestOnly: false)

  /// Collects the damaged compressed segments that the current read skips. If `nil`, the current read or
  /// write fails at a damaged segment.
  @TaskLocal static var skipped: DamagedBlocks?

  /// The IDs of compressed segments on damaged pages of the file. A write transaction must not read such a
  /// page, because SQLite then refuses to write in this transaction (`SQLITE_CorruptRdOnly`). So the
  /// transaction is repeated without these segments. Their rows cannot be deleted, so their IDs are not
  /// reused.
  var torn: Set<Int64> { state.withLock(\.torn) }

  /// - Parameters:
  ///   - id: The ID of the compressed segment.
  ///   - text: The segment's type and hour, and why it cannot be read.
  func note(_ id: Int64, _ text: String) {
    if text.hasSuffix("\(StoredBlockError.file)") { state.withLock { _ = $0.torn.insert(id) } }
    note(Damage(text: text, position: .segment(id)))
  }

  /// Returns the reason why a compressed segment cannot be read; `nil` if no damage was found.
  func text(of id: Int64) -> String? {
    for damage in state.withLock(\.known) {
      if case .segment(let damaged) = damage.position, damaged == id { return damage.text }
    }
    return nil
  }

  /// Records a heartbeat series if its beats cannot be decoded.
  ///
  /// - Returns: Whether the record is a heartbeat series whose beats were read and cannot be decoded.
  func recordIfDamaged(_ record: SampleRecord) -> Bool {
    guard case .heartbeatSeries(let count, let beats?) = record.content,
      HeartbeatCodec.decode(beats)?.count != count
    else { return false }
    let name = BlockReadError.name(series: record.type, start: record.start)
    note(Damage(text: "\(name) cannot be read: its beats are damaged", position: .series(record.uuid)))
    return true
  }

  private func note(_ damage: Damage) {
    state.withLock { state in
      guard !state.known.contains(where: { $0.text == damage.text }) else { return }
      state.known.append(damage)
      reports.send(damage.text)
    }
  }

  /// Checks all known damage again, and removes entries that were repaired or deleted. Segments on damaged
  /// pages are not checked.
  fileprivate func recheck(in database: Database) {
    let (known, torn) = state.withLock { ($0.known, $0.torn) }
    let sound = known.filter { damage in
      if case .segment(let id) = damage.position, torn.contains(id) { return false }
      // Another error prevents the check, so keep the entry.
      return (try? damage.position.isSound(in: database)) ?? false
    }
    let texts = Set(sound.map(\.text))
    state.withLock { state in state.known.removeAll { texts.contains($0.text) } }
  }

  /// Runs a transaction. If it finds compressed segments on damaged pages, it is repeated without them.
  func retrying<Value>(_ transaction: () throws -> Value) throws -> Value {
    while true {
      let before = torn
      do {
        return try transaction()
      } catch {
        guard torn != before else { throw error }
      }
    }
  }

  /// The damage found so far, as sentences.
  package var known: [String] { state.withLock { $0.known.map(\.text) } }

  /// Returns a stream of the known damage, followed by any damage found later.
  package func updates() -> AsyncStream<String> {
    state.withLock { reports.stream(startingWith: $0.known.map(\.text)) }
  }
}

extension DamagedBlocks.Damage.Position {
  /// Returns whether the data can be read again or was deleted.
  fileprivate func isSound(in database: Database) throws -> Bool {
    switch self {
    case .segment(let id):
      let isStored = try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM block WHERE id = ?)", arguments: [id])
      guard isStored == true else { return true }
      _ = try BlockReader(in: database).block(id).identities()
      return true
    case .series(let uuid):
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT count, beats FROM heartbeat_series
          WHERE sample = (SELECT id FROM sample WHERE uuid = ?)
          """,
        arguments: [uuid])
      guard let row else { return true }
      let (count, beats): (Int, Data) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
      return HeartbeatCodec.decode(Array(beats))?.count == count
    }
  }
}

extension SampleDatabase {
  /// Checks the known damage again, and returns one sentence for each entry that still exists.
  package func recheckedDamage() async throws -> [String] {
    if !damagedBlocks.known.isEmpty { try await read { damagedBlocks.recheck(in: $0) } }
    return damagedBlocks.known
  }
}
