import Foundation
import GRDB
import PackedSamples

// Saving of quantities that monitors have measured.
extension BatchSave {
  /// Deduplicates quantities, and saves the ones that are not stored yet. The same measurement has the same
  /// UUID, whichever program received it.
  /// - Returns: The results, one for each element of `measured`.
  mutating func save(_ measured: [MeasuredQuantities], as form: MeasuredForm) throws -> [MeasuredOutcome] {
    var latest: [String: Int64] = [:]
    for kind in measured.map(\.kind) where latest[kind.type] == nil {
      latest[kind.type] = try interning.latestEnd(of: kind.type)
    }
    var outcomes: [MeasuredOutcome] = []
    for (index, quantities) in measured.enumerated() {
      // An earlier element of `measured` may contain the same measurements. After it was saved, the latest
      // end in `latest` is outdated.
      let isAlone = !measured[..<index].contains { $0.mayShare(with: quantities) }
      let known = isAlone ? latest[quantities.kind.type] : nil
      outcomes.append(try save(quantities, as: form, after: known ?? .max))
    }
    return outcomes
  }

  private mutating func save(
    _ quantities: MeasuredQuantities, as form: MeasuredForm, after latest: Int64
  ) throws -> MeasuredOutcome {
    guard !quantities.isEmpty else { return MeasuredOutcome() }
    let kind = quantities.kind
    let span = MeasuredSpan(quantities)
    let references = SampleInsertion.References(
      type: try interning.type(kind.type, duration: span.longest, end: span.ends.upperBound),
      provenance: try interning.provenance(kind.provenance).id,
      metadata: try kind.metadata.map { try interning.metadata($0) }, unit: try interning.unit(kind.unit))
    let indexes = try MeasuredFreshness(ofType: references.type, latestEnd: latest, in: database)
      .indexes(quantities, span, &stored)
    let count = indexes?.count ?? quantities.count
    let outcome = MeasuredOutcome(stored: count, duplicates: quantities.count - count)
    guard count > 0 else { return outcome }
    // Save hour by hour, as rows or as segments, so that the order of change log positions is the same in
    // both cases.
    for hour in MeasuredHours(quantities, indexes).all {
      try summaries.touch(references.type, start: hour.start, end: hour.end, in: database)
      if form == .segments, hour.isWithin {
        try insertSegments(quantities, hour.indexes, references)
        inSegments[kind.monitor] = max(inSegments[kind.monitor] ?? .min, hour.end)
      } else {
        try insertRows(quantities, hour.indexes, references)
      }
    }
    if form == .segments { stored.forgetBlocks() }
    return outcome
  }

  private mutating func insertRows(
    _ quantities: MeasuredQuantities, _ indexes: [Int], _ references: SampleInsertion.References
  ) throws {
    let insertion = try rowInsertion()
    counts.add(references, indexes.count)
    var monitor = MeasuredIdentity(monitor: quantities.kind.monitor)
    for index in indexes {
      try insertion.insert(
        quantities.uuid(at: index, &monitor), from: quantities.starts[index], to: quantities.end(at: index),
        value: quantities.values[index], references)
    }
  }

  /// - Parameter indexes: The indexes of samples of one hour, in the order of their start.
  private mutating func insertSegments(
    _ quantities: MeasuredQuantities, _ indexes: [Int], _ references: SampleInsertion.References
  ) throws {
    let insertion = try BlockInsertion(in: database)
    for part in PackingLimit.parts(of: indexes.count) {
      let block = try segment(of: quantities, indexes[part])
      let bytes = try block.encoded()
      // Verify the encoding, because samples in a compressed segment that cannot be decoded would be lost.
      guard try SampleBlock(decoding: bytes).isIdentical(to: block) else { throw BlockError.unequalColumns }
      try insertion.insert(block, bytes, references)
    }
    segmentsWritten()
  }

  private func segment(of quantities: MeasuredQuantities, _ indexes: ArraySlice<Int>) throws -> SampleBlock {
    var block = SampleBlock(reservingCapacity: indexes.count)
    // Store the address only if the source is a monitor, because `hrgate store check` compares it with the
    // source.
    let source = quantities.kind.provenance.revision.source.bundleIdentifier
    block.monitor = MeasuredIdentity.address(ofSource: source)
    var change = try SampleDatabase.lastChange(database)
    for index in indexes {
      change += 1
      block.append(
        start: quantities.starts[index], duration: quantities.duration(at: index),
        value: quantities.values[index], change: change, identity: quantities.identity(at: index))
    }
    return block
  }
}
