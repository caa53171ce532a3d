/// A priority queue, from which the least element can be read. Insertion, update and removal take logarithmic
/// time.
///
/// It is inlinable, because statistics use it for each sample.
package struct BinaryHeap<Element: Comparable> {
  @usableFromInline var elements: [Element] = []

  @inlinable package init() {}

  @inlinable package var least: Element? { elements.first }

  @inlinable package mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child] < elements[parent] else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  @inlinable package mutating func removeLeast() {
    updateLeast { _ in false }
  }

  /// Changes the least element and restores the order. If `body` returns `false`, removes the element.
  @inlinable package mutating func updateLeast(_ body: (inout Element) -> Bool) {
    guard !elements.isEmpty else { return }
    if !body(&elements[0]) {
      elements.swapAt(0, elements.count - 1)
      elements.removeLast()
    }
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < elements.count else { return }
      let right = left + 1
      let least = right < elements.count && elements[right] < elements[left] ? right : left
      guard elements[least] < elements[parent] else { return }
      elements.swapAt(parent, least)
      parent = least
    }
  }
}

extension BinaryHeap: Sendable where Element: Sendable {}
