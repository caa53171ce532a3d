import Foundation
import GRDB
import PackedSamples

/// What a monitor measured, as columns.
extension BatchSave {
  /// What is stored already is left out: the same measurement is the same sample, whoever read it.
  mutating func save(_ quantities: MeasuredQuantities, as form: MeasuredForm) throws -> MeasuredOutcome {
    guard !quantities.isEmpty else { return MeasuredOutcome() }
    let kind = quantities.kind
    let span = MeasuredSpan(quantities)
    let latest = try interning.latestEnd(of: kind.type)
    let references = SampleInsertion.References(
      type: try interning.type(kind.type, duration: span.longest, end: span.ends.upperBound),
      provenance: try interning.provenance(kind.provenance).id,
      metadata: try kind.metadata.map { try interning.metadata($0) }, unit: try interning.unit(kind.unit))
    let places = try MeasuredFreshness(ofType: references.type, latestEnd: latest, in: database)
      .places(quantities, span, &stored)
    let count = places?.count ?? quantities.count
    let outcome = MeasuredOutcome(stored: count, duplicates: quantities.count - count)
    guard count > 0 else { return outcome }
    let hours = MeasuredHours(quantities, places)
    // In this order whatever the form: so the change log has it.
    for hour in hours.all {
      try summaries.touch(references.type, start: hour.start, end: hour.end, in: database)
      if form == .blocks, hour.isWorthBlock {
        try insertBlocks(quantities, hour.places, references)
        stored.forgetBlocks()
      } else {
        try insertRows(quantities, hour.places, references)
      }
    }
    counts.add(references, count)
    return outcome
  }

  // MARK: - Writing

  private func insertRows(
    _ quantities: MeasuredQuantities, _ places: [Int], _ references: SampleInsertion.References
  ) throws {
    var monitor = MeasuredIdentity(monitor: quantities.kind.monitor)
    for place in places {
      try insertion.insert(
        quantities.uuid(at: place, &monitor), from: quantities.starts[place], to: quantities.end(at: place),
        value: quantities.values[place], references)
    }
  }

  private func insertBlocks(
    _ quantities: MeasuredQuantities, _ places: [Int], _ references: SampleInsertion.References
  ) throws {
    let insertion = try BlockInsertion(in: database)
    // Of equal size: a full one and a small one would take more.
    let parts = (places.count + SampleBlock.capacity - 1) / SampleBlock.capacity
    for part in 0..<parts {
      let range = part * places.count / parts..<(part + 1) * places.count / parts
      var block = SampleBlock(reservingCapacity: range.count)
      var change = try ChangeNumbers(in: database).take(range.count)
      for place in places[range] {
        block.append(
          start: quantities.starts[place], duration: quantities.duration(at: place),
          value: quantities.values[place], change: change, identity: quantities.identity(at: place))
        change += 1
      }
      block.monitor = quantities.kind.monitor
      let bytes = try block.encoded()
      // What nobody could read would be lost.
      guard try SampleBlock(decoding: bytes).isIdentical(to: block) else { throw BlockFlaw.unequalColumns }
      try insertion.insert(block, bytes, references)
    }
  }
}
