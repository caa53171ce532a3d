import GRDBSQLite
import PackedSamples

/// The samples of all blocks that a question is about, one after another in its order.
///
/// A block is decoded when its first sample may come next, and dropped after its last: memory holds those
/// that overlap.
final class PackedSampleCursor {
  /// A block whose samples come, and which of them comes next.
  private struct Open: Comparable {
    let block: StoredBlock
    /// The places of its samples, in order.
    let places: [Int]
    let isByChange: Bool
    let sign: Int64
    private(set) var next = 0
    private(set) var key: (Int64, Int64) = (0, 0)

    init(_ block: StoredBlock, _ places: [Int], _ question: PackedSampleQuestion) {
      self.block = block
      self.places = places
      isByChange = question.isByChange
      sign = question.isDescending ? -1 : 1
      setKey()
    }

    var place: Int { places[next] }

    /// - Returns: false after the last one.
    mutating func advance() -> Bool {
      next += 1
      guard next < places.count else { return false }
      setKey()
      return true
    }

    private mutating func setKey() {
      let change = sign * block.changes[place]
      key = isByChange ? (change, 0) : (sign * block.starts[place], change)
    }

    static func == (left: Open, right: Open) -> Bool { left.key == right.key }
    static func < (left: Open, right: Open) -> Bool { left.key < right.key }
  }

  private let question: PackedSampleQuestion
  private let reader: BlockReader
  private let search: BlockSearch
  private var open = BinaryHeap<Open>()
  /// The block of the sample at which the cursor stands; nil at the end.
  private(set) var block: StoredBlock?
  private(set) var place = 0

  /// - Throws: `BlockFailure`.
  init(_ question: PackedSampleQuestion, _ connection: OpaquePointer) throws(BlockFailure) {
    self.question = question
    reader = BlockReader(connection)
    search = try BlockSearch(question, connection)
    try settle()
  }

  /// - Throws: `BlockFailure`.
  func advance() throws(BlockFailure) {
    open.updateLeast { $0.advance() }
    try settle()
  }

  /// - Throws: `BlockFailure`.
  func uuid() throws(BlockFailure) -> (high: UInt64, low: UInt64)? {
    guard let block else { return nil }
    return try reading(block) { block throws(StoredBlockFlaw) in try block.uuid(at: place) }
  }

  /// Opens the blocks of which a sample may come next.
  private func settle() throws(BlockFailure) {
    while let candidate = search.next, open.least.map({ candidate.bound <= $0.key.0 }) ?? true {
      try search.advance()
      let block = try reader.block(candidate.id)
      let places = try places(in: block)
      if !places.isEmpty { open.insert(Open(block, places, question)) }
    }
    let least = open.least
    block = least?.block
    place = least?.place ?? 0
  }

  private func places(in block: StoredBlock) throws(BlockFailure) -> [Int] {
    var places = block.starts.indices.filter {
      question.starts.contains(block.starts[$0]) && question.changes.contains(block.changes[$0])
    }
    if let wanted = question.uuid {
      places.removeAll { !wanted.millisecond.contains(block.end(at: $0)) }
      var found: [Int] = []
      for place in places {
        let uuid = try reading(block) { block throws(StoredBlockFlaw) in try block.uuid(at: place) }
        if uuid == (wanted.high, wanted.low) { found.append(place) }
      }
      places = found
    }
    // Within a block they are in order of start, but those of one start in no other.
    if question.isByChange {
      places.sort { block.changes[$0] < block.changes[$1] }
    } else {
      places.sort { (block.starts[$0], block.changes[$0]) < (block.starts[$1], block.changes[$1]) }
    }
    return question.isDescending ? places.reversed() : places
  }

  private func reading<Value>(
    _ block: StoredBlock, _ body: (StoredBlock) throws(StoredBlockFlaw) -> Value
  ) throws(BlockFailure) -> Value {
    do {
      return try body(block)
    } catch {
      throw reader.failure(block.header, error)
    }
  }
}
