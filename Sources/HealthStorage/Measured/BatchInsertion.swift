import Foundation
import GRDB
import PackedSamples

/// What was measured between two commits, as it is gathered for its rows, one for each hour. Valid only in
/// the write access that it was made in.
struct BatchInsertion {
  private struct Gathered {
    let hour: Int64
    var parts: [PackedBatch.Part] = []
    var starts: ClosedRange<Int64>
    var end: Int64
    var changes: ClosedRange<Int64>
    var count = 0
  }

  private var hours: [Gathered] = []

  /// - Parameter block: at least one sample, all of one hour.
  mutating func add(_ block: SampleBlock, _ references: SampleInsertion.References) throws {
    let (starts, changes) = (block.starts, block.changes)
    guard let start = starts.first, let last = starts.last, let change = changes.first,
      let lastChange = changes.last, let unit = references.unit
    else { return }
    let end = starts.indices.reduce(last) { max($0, starts[$1] + block.durations[$1]) }
    let part = PackedBatch.Part(
      type: references.type, unit: unit, provenance: references.provenance, metadata: references.metadata,
      block: try block.encoded())
    let hour = HourSummary.start(of: start)
    if !hours.contains(where: { $0.hour == hour }) {
      hours.append(Gathered(hour: hour, starts: start...last, end: end, changes: change...lastChange))
    }
    for place in hours.indices where hours[place].hour == hour {
      let known = hours[place]
      hours[place].parts.append(part)
      hours[place].starts = min(known.starts.lowerBound, start)...max(known.starts.upperBound, last)
      hours[place].end = max(known.end, end)
      hours[place].changes =
        min(known.changes.lowerBound, change)...max(known.changes.upperBound, lastChange)
      hours[place].count += block.count
    }
  }

  func write(in database: Database) throws {
    guard !hours.isEmpty else { return }
    let insert = try database.cachedStatement(
      sql: "INSERT INTO batch (id, first_change, start, end, count, samples) VALUES (?, ?, ?, ?, ?, ?)")
    for hour in hours {
      try insert.execute(arguments: [
        hour.changes.upperBound, hour.changes.lowerBound, hour.starts.lowerBound, hour.end, hour.count,
        Data(PackedBatch.bytes(of: hour.parts)),
      ])
    }
  }
}
