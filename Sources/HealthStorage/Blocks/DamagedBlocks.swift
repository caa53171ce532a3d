import Channels
import Foundation
import GRDB
import Synchronization

/// The blocks of a store, and the heartbeat series, that cannot be read and were skipped, each reported once.
package final class DamagedBlocks: Sendable {
  private struct State {
    /// In the order in which they were met.
    var known: [Damage] = []
    /// Rows on pages that cannot be read.
    var torn: Set<PackedRow> = []
  }

  /// What cannot be read, and where it is stored.
  fileprivate struct Damage {
    enum Place {
      case row(PackedRow)
      /// By the UUID of its sample.
      case series(UUID)
    }

    /// Which and why.
    var text: String
    var place: Place
  }

  private let state = Mutex(State())
  private let reports = Broadcast<String>(newestOnly: false)

  /// Where the current read records the blocks that it skips. nil for reads and writes that fail at a damaged
  /// block.
  @TaskLocal static var skipped: DamagedBlocks?

  /// The blocks that are to be passed over unread. After SQLite has met a damaged page in a transaction it
  /// writes nothing more in that (`SQLITE_CorruptRdOnly`): then the transaction is done again without them.
  /// Such a row cannot be deleted either, so that no other has its number.
  var torn: Set<PackedRow> { state.withLock(\.torn) }

  /// - Parameters:
  ///   - row: where it is.
  ///   - text: which block by its type and hour, and why it cannot be read.
  func note(_ row: PackedRow, _ text: String) {
    if text.hasSuffix("\(StoredBlockError.file)") { state.withLock { _ = $0.torn.insert(row) } }
    note(Damage(text: text, place: .row(row)))
  }

  /// - Returns: Whether the record is a heartbeat series whose beats were read and do not decode.
  func noteIfDamaged(_ record: SampleRecord) -> Bool {
    guard case .heartbeatSeries(let count, let beats?) = record.content,
      HeartbeatCodec.decode(beats)?.count != count
    else { return false }
    let name = BlockReadError.name(series: record.type, start: record.start)
    note(Damage(text: "\(name) cannot be read: its beats are damaged", place: .series(record.uuid)))
    return true
  }

  private func note(_ damage: Damage) {
    state.withLock { state in
      guard !state.known.contains(where: { $0.text == damage.text }) else { return }
      state.known.append(damage)
      reports.send(damage.text)
    }
  }

  /// Reads again what was met, and forgets what was repaired or deleted. Blocks on pages that cannot be read
  /// stay known.
  fileprivate func recheck(in database: Database) {
    let (known, torn) = state.withLock { ($0.known, $0.torn) }
    let sound = known.filter { damage in
      if case .row(let row) = damage.place, torn.contains(row) { return false }
      // What cannot be read for another reason is not known to be sound.
      return (try? damage.place.isSound(in: database)) ?? false
    }
    let texts = Set(sound.map(\.text))
    state.withLock { state in state.known.removeAll { texts.contains($0.text) } }
  }

  /// Does what is a transaction of its own, and does it again where it met blocks on pages that cannot be
  /// read.
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

  /// Which they are and why, those met so far.
  package var known: [String] { state.withLock { $0.known.map(\.text) } }

  /// Returns the known damage, and each further one when it is found.
  package func news() -> AsyncStream<String> {
    state.withLock { reports.stream(startingWith: $0.known.map(\.text)) }
  }
}

extension DamagedBlocks.Damage.Place {
  /// Whether it can be read now, or was deleted.
  fileprivate func isSound(in database: Database) throws -> Bool {
    switch self {
    case .row(let row):
      let table = row.isBatch ? "batch" : "block"
      let isStored = try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE id = ?)", arguments: [row.id])
      guard isStored == true else { return true }
      for block in try BlockReader(in: database).blocks(row) { _ = try block.identities() }
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
  /// The damage met so far that is still there, as ``DamagedBlocks/known``.
  package func recheckedDamage() async throws -> [String] {
    if !damagedBlocks.known.isEmpty { try await read { damagedBlocks.recheck(in: $0) } }
    return damagedBlocks.known
  }
}
