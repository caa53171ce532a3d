import GRDBSQLite
import PackedSamples

/// Reads the samples in compressed segments that match a query, one by one in the order of the query.
///
/// A segment is decoded when its first sample may be next, and dropped after its last sample. The number of
/// segments in memory is limited: in the order of the change log, a segment with samples that were saved late
/// could otherwise stay in memory for a long time.
final class PackedSampleCursor {
  /// A compressed segment that has samples left to read.
  fileprivate struct Open: Comparable {
    /// The ID of the compressed segment's row in the table `block`.
    let id: Int64
    /// The decoded compressed segment; `nil` while it is not in memory.
    private(set) var content: Content?
    private(set) var next = 0
    private(set) var key: (Int64, Int64) = (0, 0)

    struct Content {
      let block: StoredBlock
      /// The indexes of the matching samples of the compressed segment, in the order of the query.
      let positions: [Int]
    }

    init(_ content: Content, _ request: PackedSampleRequest) {
      id = content.block.header.id
      self.content = content
      setKey(request)
    }

    var sample: (block: StoredBlock, position: Int)? { content.map { ($0.block, $0.positions[next]) } }

    /// Moves to the next matching sample of the compressed segment.
    /// - Returns: `false` after the last one.
    mutating func advance(_ request: PackedSampleRequest) -> Bool {
      next += 1
      guard next < content?.positions.count ?? 0 else { return false }
      setKey(request)
      return true
    }

    mutating func drop() { content = nil }
    mutating func load(_ content: Content) { self.content = content }

    private mutating func setKey(_ request: PackedSampleRequest) {
      guard let (block, position) = sample else { return }
      let sign: Int64 = request.isDescending ? -1 : 1
      let change = sign * block.changes[position]
      key = request.isByChange ? (change, 0) : (sign * block.starts[position], change)
    }

    static func == (left: Open, right: Open) -> Bool { left.key == right.key }
    static func < (left: Open, right: Open) -> Bool { left.key < right.key }
  }

  /// Maximum number of compressed segments in memory. Each takes at most about 200 kB.
  private static let capacity = 128

  private let request: PackedSampleRequest
  private let reader: BlockReader
  private let search: BlockSearch
  private let capacity: Int
  private let isWanted: (BlockKind) -> Bool
  private var open = BinaryHeap<Open>()
  /// Number of compressed segments in memory that have samples left to read.
  private(set) var held = 0
  /// The compressed segment of the current sample; `nil` after the last sample.
  private(set) var block: StoredBlock?
  /// The index of the current sample in its compressed segment.
  private(set) var position = 0

  /// - Parameters:
  ///   - capacity: Maximum number of compressed segments in memory.
  ///   - isWanted: Returns whether samples of a kind are needed, in addition to the conditions of the query.
  /// - Throws: `BlockReadError`.
  init(
    _ request: PackedSampleRequest, _ connection: OpaquePointer, holding capacity: Int = capacity,
    where isWanted: @escaping (BlockKind) -> Bool = { _ in true }
  ) throws(BlockReadError) {
    self.request = request
    self.isWanted = isWanted
    self.capacity = capacity
    reader = BlockReader(connection)
    search = try BlockSearch(request, connection)
    try settle()
  }

  func advance() throws(BlockReadError) {
    open.updateLeast {
      let hasMore = $0.advance(request)
      if !hasMore { held -= 1 }
      return hasMore
    }
    try settle()
  }

  func uuid() throws(BlockReadError) -> (high: UInt64, low: UInt64)? {
    guard let block else { return nil }
    return try reading(block) { block throws(StoredBlockError) in try block.uuid(at: position) }
  }

  /// Decodes the compressed segments that may contain the next sample.
  private func settle() throws(BlockReadError) {
    // Access the element by index, because a copy of it would keep its compressed segment in memory.
    while let candidate = search.next, open.elements.isEmpty || candidate.bound <= open.elements[0].key.0 {
      try search.advance()
      let found = try reader.readableBlock(candidate.id, where: { request.concerns($0) && isWanted($0) })
      guard let found, let content = try content(found) else { continue }
      open.insert(Open(content, request))
      held += 1
      if held > capacity { open.dropLast() { held -= 1 } }
    }
    if !open.elements.isEmpty, open.elements[0].content == nil,
      let content = try content(reader.block(open.elements[0].id))
    {
      if held >= capacity { open.dropLast() { held -= 1 } }
      open.updateLeast {
        $0.load(content)
        return true
      }
      held += 1
    }
    let sample = open.elements.isEmpty ? nil : open.elements[0].sample
    block = sample?.block
    position = sample?.position ?? 0
  }

  /// Returns a compressed segment with the indexes of its matching samples; `nil` if no sample matches.
  private func content(_ block: StoredBlock) throws(BlockReadError) -> Open.Content? {
    let positions = try positions(in: block)
    return positions.isEmpty ? nil : Open.Content(block: block, positions: positions)
  }

  private func positions(in block: StoredBlock) throws(BlockReadError) -> [Int] {
    var positions = block.starts.indices.filter {
      request.starts.contains(block.starts[$0]) && request.admits(change: block.changes[$0])
    }
    if let wanted = request.uuids {
      positions.removeAll {
        let millisecond = block.end(at: $0) / 1000
        return !wanted.isAny(in: millisecond...millisecond)
      }
      var found: [Int] = []
      for position in positions {
        let uuid = try reading(block) { block throws(StoredBlockError) in try block.uuid(at: position) }
        if wanted.contains(uuid) { found.append(position) }
      }
      positions = found
    }
    // The samples of a compressed segment are sorted by start, but those with the same start are in no
    // particular order.
    if request.isByChange {
      positions.sort { block.changes[$0] < block.changes[$1] }
    } else {
      positions.sort { (block.starts[$0], block.changes[$0]) < (block.starts[$1], block.changes[$1]) }
    }
    return request.isDescending ? positions.reversed() : positions
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
  /// Drops from memory the compressed segment whose next sample is needed last. It is decoded again when
  /// needed. The segment of the next sample is never dropped.
  fileprivate mutating func dropLast(_ done: () -> Void) {
    let last = elements.indices.dropFirst().filter { elements[$0].content != nil }
      .max { elements[$0] < elements[$1] }
    guard let last else { return }
    elements[last].drop()
    done()
  }
}
