/// The least of some values at hand; adding one and taking the least take logarithmic time.
struct BinaryHeap<Element: Comparable & Sendable>: Sendable {
  private var elements: [Element] = []

  var least: Element? { elements.first }

  mutating func insert(_ element: Element) {
    var place = elements.count
    elements.append(element)
    while place > 0, elements[place] < elements[(place - 1) / 2] {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func removeLeast() {
    guard let last = elements.popLast(), !elements.isEmpty else { return }
    elements[0] = last
    var place = 0
    while true {
      let left = 2 * place + 1
      guard left < elements.count else { return }
      let right = left + 1
      let child = right < elements.count && elements[right] < elements[left] ? right : left
      guard elements[child] < elements[place] else { return }
      elements.swapAt(place, child)
      place = child
    }
  }
}
