import Foundation
import GRDB
import PackedSamples

/// What monitors measured, as columns.
extension BatchSave {
  /// More than this in one commit waited long for the store: they go into blocks at once.
  private static let mostInBatch = 4096

  /// What is stored already is left out: the same measurement is the same sample, whoever read it.
  /// - Returns: what became of each.
  mutating func save(_ measured: [MeasuredQuantities], as form: MeasuredForm) throws -> [MeasuredOutcome] {
    let isMuch = measured.reduce(0) { $0 + $1.count } > Self.mostInBatch
    let form = form == .batch && isMuch ? .blocks : form
    var numbers = ChangeNumbers(in: database)
    var gathered = BatchInsertion()
    var latest: [String: Int64] = [:]
    for kind in measured.map(\.kind) where latest[kind.type] == nil {
      latest[kind.type] = try interning.latestEnd(of: kind.type)
    }
    var outcomes: [MeasuredOutcome] = []
    for (place, quantities) in measured.enumerated() {
      // What goes together is of different monitors, or of different times; else one may have what another
      // has.
      let isAlone = !measured[..<place].contains { $0.mayShare(with: quantities) }
      if !isAlone {
        try gathered.write(in: database)
        gathered = BatchInsertion()
      }
      let known = isAlone ? latest[quantities.kind.type] : nil
      outcomes.append(try save(quantities, as: form, after: known ?? .max, &numbers, &gathered))
    }
    try gathered.write(in: database)
    try numbers.writeDown()
    return outcomes
  }

  private mutating func save(
    _ quantities: MeasuredQuantities, as form: MeasuredForm, after latest: Int64,
    _ numbers: inout ChangeNumbers, _ gathered: inout BatchInsertion
  ) throws -> MeasuredOutcome {
    guard !quantities.isEmpty else { return MeasuredOutcome() }
    let kind = quantities.kind
    let span = MeasuredSpan(quantities)
    let references = SampleInsertion.References(
      type: try interning.type(kind.type, duration: span.longest, end: span.ends.upperBound),
      provenance: try interning.provenance(kind.provenance).id,
      metadata: try kind.metadata.map { try interning.metadata($0) }, unit: try interning.unit(kind.unit))
    let places = try MeasuredFreshness(ofType: references.type, latestEnd: latest, in: database)
      .places(quantities, span, &stored)
    let count = places?.count ?? quantities.count
    let outcome = MeasuredOutcome(stored: count, duplicates: quantities.count - count)
    guard count > 0 else { return outcome }
    // In this order whatever the form: so the change log has it.
    for hour in MeasuredHours(quantities, places).all {
      try summaries.touch(references.type, start: hour.start, end: hour.end, in: database)
      switch form {
      case .batch where hour.isWithin:
        try gathered.add(block(of: quantities, hour.places, &numbers), references)
        batched[kind.monitor] = max(batched[kind.monitor] ?? .min, hour.end)
      case .blocks where hour.isWorthBlock:
        counts.add(references, hour.places.count)
        try insertBlocks(quantities, hour.places, references, &numbers)
      case .rows, .batch, .blocks:
        counts.add(references, hour.places.count)
        try numbers.writeDown()
        try insertRows(quantities, hour.places, references)
      }
    }
    if form != .rows { stored.forgetBlocks() }
    return outcome
  }

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
    _ quantities: MeasuredQuantities, _ places: [Int], _ references: SampleInsertion.References,
    _ numbers: inout ChangeNumbers
  ) throws {
    let insertion = try BlockInsertion(in: database)
    // Of equal size: a full one and a small one would take more.
    let parts = (places.count + SampleBlock.capacity - 1) / SampleBlock.capacity
    for part in 0..<parts {
      let range = part * places.count / parts..<(part + 1) * places.count / parts
      let block = try block(of: quantities, Array(places[range]), &numbers)
      let bytes = try block.encoded()
      // What nobody could read would be lost.
      guard try SampleBlock(decoding: bytes).isIdentical(to: block) else { throw BlockError.unequalColumns }
      try insertion.insert(block, bytes, references)
    }
  }

  /// - Parameter places: in order of start, of one hour.
  private func block(
    of quantities: MeasuredQuantities, _ places: [Int], _ numbers: inout ChangeNumbers
  ) throws -> SampleBlock {
    var block = SampleBlock(reservingCapacity: places.count)
    // A block names its monitor only if its source is one: `store check` compares the two.
    let source = quantities.kind.provenance.revision.source.bundleIdentifier
    block.monitor = MeasuredIdentity.address(ofSource: source)
    var change = try numbers.take(places.count)
    for place in places {
      block.append(
        start: quantities.starts[place], duration: quantities.duration(at: place),
        value: quantities.values[place], change: change, identity: quantities.identity(at: place))
      change += 1
    }
    return block
  }
}
