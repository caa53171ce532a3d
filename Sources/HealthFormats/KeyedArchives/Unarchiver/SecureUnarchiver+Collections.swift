internal import Foundation

extension SecureUnarchiver {
  func collection(_ known: FoundationClass, _ node: Int) throws(ArchiveError) -> DecodedObject {
    let elements: [DecodedObject]
    var keys: [DecodedObject] = []
    switch known {
    case .orderedSet, .mutableOrderedSet: elements = try orderedElements(node)
    default: elements = try self.elements(forKey: "NS.objects", node)
    }
    switch known {
    case .dictionary, .mutableDictionary:
      keys = try self.elements(forKey: "NS.keys", node)
      guard keys.count == elements.count else { throw malformed("keys of a dictionary", node) }
      try checkUnique(keys, node)
    case .array, .mutableArray: break
    default: try checkUnique(elements, node)
    }
    var classes: [AnyClass] = [known.type]
    for type in (keys + elements).lazy.flatMap(\.classes) where !classes.contains(where: { $0 == type }) {
      classes.append(type)
    }
    return DecodedObject(
      object: make(known, elements.map(\.object), keys: keys.map(\.object)), name: known.rawValue,
      classes: classes, visits: frames.last?.visits ?? 1, isCollection: true)
  }

  private func make(_ known: FoundationClass, _ elements: [NSObject], keys: [NSObject]) -> NSObject {
    switch known {
    case .mutableArray: NSMutableArray(array: elements)
    case .set: NSSet(array: elements)
    case .mutableSet: NSMutableSet(array: elements)
    case .orderedSet: NSOrderedSet(array: elements)
    case .mutableOrderedSet: NSMutableOrderedSet(array: elements)
    case .dictionary: NSDictionary(objects: elements, forKeys: keys)
    case .mutableDictionary: NSMutableDictionary(objects: elements, forKeys: keys)
    default: NSArray(array: elements)
    }
  }

  private func elements(forKey key: String, _ node: Int) throws(ArchiveError) -> [DecodedObject] {
    guard let list = frames.last?.entries[key], case .array(let references) = archive.list.nodes[list] else {
      throw malformed("elements of a collection", node)
    }
    var elements: [DecodedObject] = []
    for position in 0..<references.count {
      elements.append(try element(archive.list.target(position, of: references)))
    }
    return elements
  }

  /// Decodes the elements of an ordered set. An archive stores each element under its own key, or all of them
  /// under one key.
  private func orderedElements(_ node: Int) throws(ArchiveError) -> [DecodedObject] {
    guard let entries = frames.last?.entries, entries["NS.objects"] == nil else {
      return try elements(forKey: "NS.objects", node)
    }
    var elements: [DecodedObject] = []
    while let reference = entries["NS.object.\(elements.count)"] { elements.append(try element(reference)) }
    return elements
  }

  /// Decodes an element of a collection. The classes that are allowed for the collection are also allowed for
  /// the element.
  private func element(_ reference: Int) throws(ArchiveError) -> DecodedObject {
    guard let element = try element(reference, of: frames.last?.allowed ?? []) else {
      throw malformed("element of a collection", reference)
    }
    return element
  }

  /// Checks that no element occurs twice. Rejects elements that are collections: collections with the same
  /// number of elements have the same hash, so the check would be slow.
  private func checkUnique(_ elements: [DecodedObject], _ node: Int) throws(ArchiveError) {
    guard elements.count <= limits.uniqueElements else {
      throw error(.limitExceeded("unique elements"), node)
    }
    guard !elements.contains(where: \.isCollection) else {
      throw malformed("collection as an element of a set", node)
    }
    guard Set(elements.map(\.object)).count == elements.count else {
      throw malformed("equal elements", node)
    }
  }
}
