import Channels
import Foundation
import GRDB
import Synchronization

/// The segments and heartbeat series of a store that cannot be read and were skipped. Each is reported once.
package final class DamagedBlocks: Sendable {
  private struct State {
    /// In the order in which they were found.
    var known: [Damage] = []
    /// Ids of segments on pages that cannot be read.
    var torn: Set<Int64> = []
  }

  /// What cannot be read, and where it is stored.
  fileprivate struct Damage {
    enum Place {
      /// `block.id`.
      case segment(Int64)
      /// The UUID of its sample.
      case series(UUID)
    }

    /// What is damaged, and the reason.
    var text: String
    var place: Place
  }

  private let state = Mutex(State())
  private let reports = Broadcast<String>(newestOnly: false)

  /// Records the segments that the current read skips. nil for reads and writes that fail at a damaged
  /// segment.
  @TaskLocal static var skipped: DamagedBlocks?

  /// Ids of segments on damaged pages, which must not be read in write transactions. Once SQLite has read a
  /// damaged page in a transaction, it writes nothing more in it (`SQLITE_CorruptRdOnly`), so the transaction
  /// is repeated without these segments. Such a row cannot be deleted, so its id is not reused.
  var torn: Set<Int64> { state.withLock(\.torn) }

  /// - Parameters:
  ///   - id: The segment's id.
  ///   - text: The segment's type and hour, and why it cannot be read.
  func note(_ id: Int64, _ text: String) {
    if text.hasSuffix("\(StoredBlockError.file)") { state.withLock { _ = $0.torn.insert(id) } }
    note(Damage(text: text, place: .segment(id)))
  }

  /// Returns why a segment cannot be read, or nil if it was not found to be damaged.
  func text(of id: Int64) -> String? {
    for damage in state.withLock(\.known) {
      if case .segment(let damaged) = damage.place, damaged == id { return damage.text }
    }
    return nil
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

  /// Reads again what was found, and forgets what was repaired or deleted. Segments on pages that cannot be
  /// read stay known.
  fileprivate func recheck(in database: Database) {
    let (known, torn) = state.withLock { ($0.known, $0.torn) }
    let sound = known.filter { damage in
      if case .segment(let id) = damage.place, torn.contains(id) { return false }
      // If it cannot be read for another reason, it stays known.
      return (try? damage.place.isSound(in: database)) ?? false
    }
    let texts = Set(sound.map(\.text))
    state.withLock { state in state.known.removeAll { texts.contains($0.text) } }
  }

  /// Runs a transaction, and repeats it if it found segments on pages that cannot be read.
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

  /// What was found so far, with the reasons.
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
  /// Checks the known damage again and returns a sentence for each block that is still damaged.
  package func recheckedDamage() async throws -> [String] {
    if !damagedBlocks.known.isEmpty { try await read { damagedBlocks.recheck(in: $0) } }
    return damagedBlocks.known
  }
}
