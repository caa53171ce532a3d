/// A binary property list ("bplist00"), read as the graph that it is.
///
/// Reading takes time and memory in proportion to the file, whatever is in it: every node is read once, no
/// two nodes share bytes, and nothing is expanded. Containers neither hold themselves nor nest deeper than
/// the limit; whoever walks them must still expect to meet a shared node more than once.
struct BinaryPropertyList {
  /// The file.
  let bytes: [UInt8]
  /// Where each node begins in the file.
  let offsets: [Int]
  let nodes: [PropertyListNode]
  /// The index of the outermost node.
  let root: Int
  /// How many bytes each node takes.
  let lengths: [Int]
  let referenceWidth: Int

  init(parsing bytes: [UInt8], limits: ArchiveLimits) throws(ArchiveError) {
    let trailer = try Trailer(of: bytes, limits: limits)
    var parser = NodeParser(bytes: bytes, trailer: trailer)
    var offsets: [Int] = []
    var nodes: [PropertyListNode] = []
    var lengths: [Int] = []
    offsets.reserveCapacity(trailer.objectCount)
    nodes.reserveCapacity(trailer.objectCount)
    lengths.reserveCapacity(trailer.objectCount)
    for index in 0..<trailer.objectCount {
      let offset = try trailer.offset(ofObject: index, in: bytes)
      offsets.append(offset)
      let (node, length) = try parser.node(at: offset)
      nodes.append(node)
      lengths.append(length)
    }
    self.bytes = bytes
    self.offsets = offsets
    self.nodes = nodes
    self.lengths = lengths
    self.root = trailer.root
    self.referenceWidth = trailer.referenceWidth
    try checkNesting(limit: limits.depth)
  }

  /// The index of the node that a container's reference names; the parser has seen that there is such a node.
  func target(_ position: Int, of references: PropertyListNode.References) -> Int {
    let start = references.start + position * referenceWidth
    return Int(truncatingIfNeeded: BigEndian.read(bytes[start..<start + referenceWidth]))
  }

  /// The text of a node; nil if it holds none.
  func string(_ index: Int) -> String? {
    if case .string(let text) = nodes[index] { text } else { nil }
  }
}
