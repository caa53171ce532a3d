/// Elements of which the least is at hand.
struct SeriesHeap<Element: Comparable> {
  private var elements: [Element] = []

  var least: Element? { elements.first }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child] < elements[parent] else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  /// Changes the least element, which may then be it no more; nil from the body takes it away.
  mutating func updateLeast(_ body: (inout Element) -> Bool) {
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
