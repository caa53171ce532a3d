import GRDBSQLite
import PackedSamples

/// The samples of all blocks that a question is about, one after another in its order.
///
/// A block is decoded when its first sample may come next, and dropped after its last. Of blocks that overlap
/// memory holds so many at a time: in order of the change log, late samples have a block reach over all that
/// was stored until they came.
final class PackedSampleCursor {
  /// A block whose samples come, and which of them comes next.
  fileprivate struct Open: Comparable {
    let place: BlockPlace
    /// nil while it is set aside.
    private(set) var content: Content?
    private(set) var next = 0
    private(set) var key: (Int64, Int64) = (0, 0)

    struct Content {
      let block: StoredBlock
      /// The places of its samples, in order.
      let places: [Int]
    }

    init(_ content: Content, _ question: PackedSampleRequest) {
      place = content.block.header.place
      self.content = content
      setKey(question)
    }

    var sample: (block: StoredBlock, place: Int)? { content.map { ($0.block, $0.places[next]) } }

    /// - Returns: false after the last one.
    mutating func advance(_ question: PackedSampleRequest) -> Bool {
      next += 1
      guard next < content?.places.count ?? 0 else { return false }
      setKey(question)
      return true
    }

    mutating func setAside() { content = nil }
    mutating func takeUp(_ content: Content) { self.content = content }

    private mutating func setKey(_ question: PackedSampleRequest) {
      guard let (block, place) = sample else { return }
      let sign: Int64 = question.isDescending ? -1 : 1
      let change = sign * block.changes[place]
      key = question.isByChange ? (change, 0) : (sign * block.starts[place], change)
    }

    static func == (left: Open, right: Open) -> Bool { left.key == right.key }
    static func < (left: Open, right: Open) -> Bool { left.key < right.key }
  }

  /// Blocks in memory, of some 200 kB each at most. A gateway's streams of an hour are fewer.
  private static let capacity = 128

  private let question: PackedSampleRequest
  private let reader: BlockReader
  private let search: BlockSearch
  private let capacity: Int
  private let isWanted: (BlockKind) -> Bool
  private var open = BinaryHeap<Open>()
  /// How many of the open blocks are in memory.
  private(set) var held = 0
  /// The block of the sample at which the cursor stands; nil at the end.
  private(set) var block: StoredBlock?
  private(set) var place = 0

  /// - Parameters:
  ///   - capacity: how many blocks are in memory at a time.
  ///   - isWanted: whether a kind of samples is asked for, beyond what the question says.
  /// - Throws: `BlockReadError`.
  init(
    _ question: PackedSampleRequest, _ connection: OpaquePointer, holding capacity: Int = capacity,
    where isWanted: @escaping (BlockKind) -> Bool = { _ in true }
  ) throws(BlockReadError) {
    self.question = question
    self.isWanted = isWanted
    self.capacity = capacity
    reader = BlockReader(connection)
    search = try BlockSearch(question, connection)
    try settle()
  }

  /// - Throws: `BlockReadError`.
  func advance() throws(BlockReadError) {
    open.updateLeast {
      let hasMore = $0.advance(question)
      if !hasMore { held -= 1 }
      return hasMore
    }
    try settle()
  }

  /// - Throws: `BlockReadError`.
  func uuid() throws(BlockReadError) -> (high: UInt64, low: UInt64)? {
    guard let block else { return nil }
    return try reading(block) { block throws(StoredBlockError) in try block.uuid(at: place) }
  }

  /// Opens the blocks of which a sample may come next.
  private func settle() throws(BlockReadError) {
    // By place: what is copied out of the heap is counted as held.
    while let candidate = search.next, open.elements.isEmpty || candidate.bound <= open.elements[0].key.0 {
      try search.advance()
      for block in try reader.readableBlocks(candidate.row, where: { question.concerns($0) && isWanted($0) })
      {
        guard let content = try content(block) else { continue }
        open.insert(Open(content, question))
        held += 1
        if held > capacity { open.setAsideLast() { held -= 1 } }
      }
    }
    if !open.elements.isEmpty, open.elements[0].content == nil,
      let content = try content(reader.block(open.elements[0].place))
    {
      if held >= capacity { open.setAsideLast() { held -= 1 } }
      open.updateLeast {
        $0.takeUp(content)
        return true
      }
      held += 1
    }
    let sample = open.elements.isEmpty ? nil : open.elements[0].sample
    block = sample?.block
    place = sample?.place ?? 0
  }

  /// - Returns: nil if none of its samples is asked for.
  private func content(_ block: StoredBlock) throws(BlockReadError) -> Open.Content? {
    let places = try places(in: block)
    return places.isEmpty ? nil : Open.Content(block: block, places: places)
  }

  private func places(in block: StoredBlock) throws(BlockReadError) -> [Int] {
    var places = block.starts.indices.filter {
      question.starts.contains(block.starts[$0]) && question.admits(change: block.changes[$0])
    }
    if let wanted = question.uuids {
      places.removeAll {
        let millisecond = block.end(at: $0) / 1000
        return !wanted.isAny(in: millisecond...millisecond)
      }
      var found: [Int] = []
      for place in places {
        let uuid = try reading(block) { block throws(StoredBlockError) in try block.uuid(at: place) }
        if wanted.contains(uuid) { found.append(place) }
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
    _ block: StoredBlock, _ body: (StoredBlock) throws(StoredBlockError) -> Value
  ) throws(BlockReadError) -> Value {
    do {
      return try body(block)
    } catch {
      throw reader.failure(block.header, error)
    }
  }
}

extension BinaryHeap<PackedSampleCursor.Open> {
  /// Of the blocks in memory the one of which a sample is wanted last; never that of the next sample.
  fileprivate mutating func setAsideLast(_ done: () -> Void) {
    let last = elements.indices.dropFirst().filter { elements[$0].content != nil }
      .max { elements[$0] < elements[$1] }
    guard let last else { return }
    elements[last].setAside()
    done()
  }
}
