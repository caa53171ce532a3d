extension BinaryPropertyList {
  /// Checks that no container contains itself, and that containers are nested at most `limit` levels deep.
  ///
  /// It uses an explicit stack, because the nesting may be too deep for recursion.
  func checkNesting(limit: Int) throws(ArchiveError) {
    var height = [Int](repeating: 0, count: nodes.count)
    var isOpen = [Bool](repeating: false, count: nodes.count)
    for start in nodes.indices where height[start] == 0 {
      var path = [Step(self, start)]
      isOpen[start] = true
      while let step = path.last {
        guard let child = path[path.count - 1].next(in: self) else {
          isOpen[step.node] = false
          height[step.node] = step.tallest + 1
          path.removeLast()
          if let parent = path.indices.last {
            path[parent].tallest = max(path[parent].tallest, height[step.node])
          }
          continue
        }
        guard !isOpen[child] else { throw ArchiveError(.cycle, offset: offsets[child]) }
        if height[child] == 0 {
          isOpen[child] = true
          path.append(Step(self, child))
        } else {
          path[path.count - 1].tallest = max(step.tallest, height[child])
        }
        guard path.count + path[path.count - 1].tallest <= limit else {
          throw ArchiveError(.limitExceeded("depth"), offset: offsets[child])
        }
      }
    }
  }

  /// A container on the current path, and the index of its next reference to follow.
  private struct Step {
    let node: Int
    var tallest = 0
    private let references: [PropertyListNode.References]
    private var part = 0
    private var position = 0

    init(_ list: BinaryPropertyList, _ node: Int) {
      self.node = node
      references = list.nodes[node].references
    }

    mutating func next(in list: BinaryPropertyList) -> Int? {
      while part < references.count {
        if position < references[part].count {
          defer { position += 1 }
          return list.target(position, of: references[part])
        }
        part += 1
        position = 0
      }
      return nil
    }
  }
}
