import Foundation

extension SecureUnarchiver {
  /// Returns the node that the current object stores under a key.
  ///
  /// Keys that begin with a dollar sign are reserved for the archive, so if an object's key does, it is
  /// stored with another dollar sign in front.
  func value(forKey key: String) -> Int? {
    frames.last?.entries[key.hasPrefix("$") ? "$" + key : key]
  }

  /// Returns the sorted keys of the current object whose values have a class. It is meant for classes whose
  /// keys in Apple's archives are unknown.
  public func keys(ofClass type: AnyClass) -> [String] {
    guard let entries = frames.last?.entries else { return [] }
    return entries.filter { !$0.key.hasPrefix("$") && isObject($0.value, ofClass: type) }.keys.sorted()
  }

  /// The sorted keys of the current object whose values are strings. It is meant for classes whose keys in
  /// Apple's archives are unknown.
  public var textKeys: [String] {
    guard let entries = frames.last?.entries else { return [] }
    return entries.filter { !$0.key.hasPrefix("$") && isText($0.value) }.keys.sorted()
  }

  /// The integers of the current object by key, stored inline or referenced. It is meant for classes whose
  /// keys in Apple's archives are unknown.
  public var integers: [String: Int] {
    guard let entries = frames.last?.entries else { return [:] }
    return entries.filter { !$0.key.hasPrefix("$") }.compactMapValues(integer)
  }

  private func integer(_ reference: Int) -> Int? {
    guard case .uid(let uid) = archive.list.nodes[reference] else {
      return ArchivedNumber(archive.list.nodes[reference])?.int
    }
    let node = try? archive.object(uid, from: reference)
    return node.flatMap { ArchivedNumber(archive.list.nodes[$0])?.int }
  }

  /// Returns whether the current object stores a number inline under a key.
  public func holdsNumber(forKey key: String) -> Bool {
    value(forKey: key).map { ArchivedNumber(archive.list.nodes[$0]) != nil } ?? false
  }

  private func isText(_ reference: Int) -> Bool {
    guard case .uid(let uid) = archive.list.nodes[reference],
      let node = try? archive.object(uid, from: reference)
    else { return archive.list.string(reference) != nil }
    return archive.list.string(node) != nil || isObject(reference, ofClass: NSString.self)
  }

  private func isObject(_ reference: Int, ofClass type: AnyClass) -> Bool {
    guard case .uid(let uid) = archive.list.nodes[reference],
      let node = try? archive.object(uid, from: reference),
      let classReference = try? archive.list.entries(node)?["$class"],
      case .uid(let classUID) = archive.list.nodes[classReference],
      let description = try? archive.object(classUID, from: classReference),
      let found = try? archivedClass(description)
    else { return false }
    return ArchivedClass.isKind(found.type, of: [type])
  }

  /// Returns the object that is stored under a key, or nil if the key is missing or its value is null.
  func object<Object: NSObject>(
    forKey key: String, of classes: [AnyClass], as type: Object.Type = NSObject.self
  ) throws(ArchiveError) -> Object? {
    guard let node = value(forKey: key) else { return nil }
    return try object(node, of: classes) as? Object
  }

  /// Returns the referenced object if its class is one of `allowed`, or nil if the reference is null.
  func object(_ reference: Int, of allowed: [AnyClass]) throws(ArchiveError) -> NSObject? {
    try element(reference, of: allowed)?.object
  }

  /// Returns the referenced object with its class information. See `object(_:of:)`.
  func element(_ reference: Int, of allowed: [AnyClass]) throws(ArchiveError) -> DecodedObject? {
    guard case .uid(let uid) = archive.list.nodes[reference] else {
      throw malformed("reference to an object", reference)
    }
    guard let node = try archive.object(uid, from: reference) else { return nil }
    let found = if let known = decoded[node] { known } else { try decode(node, of: allowed) }
    // Check even an object that was decoded before: this reference may allow other classes.
    for type in found.classes where !ArchivedClass.isKind(type, of: allowed) {
      throw error(.unexpectedClass(found.name), node)
    }
    try meet(found.visits, node)
    return found
  }

  /// Adds to the number of objects that a traversal of the current object visits, and checks the limit.
  /// Without the limit, a small archive could decode to an object that takes very long to compare or copy,
  /// because its objects refer to each other several times on each level.
  private func meet(_ visits: Int, _ node: Int) throws(ArchiveError) {
    guard let last = frames.indices.last else { return }
    frames[last].visits += visits
    guard frames[last].visits <= limits.visits else { throw error(.limitExceeded("visits"), node) }
  }

  private func decode(_ node: Int, of allowed: [AnyClass]) throws(ArchiveError) -> DecodedObject {
    guard let entries = try archive.list.entries(node) else { return try inlineObject(node, of: allowed) }
    guard let reference = entries["$class"], case .uid(let uid) = archive.list.nodes[reference],
      let description = try archive.object(uid, from: reference)
    else { throw malformed("class of an object", node) }
    let found = try archivedClass(description)
    guard ArchivedClass.isKind(found.type, of: allowed) else {
      throw error(.unexpectedClass(className(description)), node)
    }
    guard frames.count < limits.depth else { throw error(.limitExceeded("depth"), node) }
    guard open.insert(node).inserted else { throw error(.cycle, node) }
    frames.append(Frame(entries: entries, offset: archive.list.offsets[node], allowed: allowed))
    let result: DecodedObject
    switch found {
    case .own(let type): result = try ownObject(type, node, name: className(description))
    case .foundation(let known): result = try foundationObject(known, node)
    }
    frames.removeLast()
    open.remove(node)
    decoded[node] = result
    return result
  }

  private func ownObject(
    _ type: ArchivableClass, _ node: Int, name: String
  ) throws(ArchiveError) -> DecodedObject {
    guard type.supportsSecureCoding else { throw error(.insecureClass(name), node) }
    let object = type.init(coder: self)
    // If decoding a value of the object failed, that error is thrown instead of this one.
    guard let object, self.error == nil else { throw error(.refused(name), node) }
    return DecodedObject(object: object, name: name, classes: [type], visits: frames.last?.visits ?? 1)
  }

  private func className(_ description: Int) -> String {
    let name = (try? archive.list.entries(description)?["$classname"]).flatMap { archive.list.string($0) }
    return name ?? ""
  }

  /// Returns the class that a class description names. If it is not in a table, returns the nearest
  /// superclass that is.
  private func archivedClass(_ description: Int) throws(ArchiveError) -> ArchivedClass {
    if let known = knownClasses[description] { return known }
    guard let entries = try archive.list.entries(description),
      let name = entries["$classname"].flatMap(archive.list.string)
    else { throw malformed("description of a class", description) }
    var names = [name]
    if let ancestors = entries["$classes"], case .array(let references) = archive.list.nodes[ancestors] {
      names += (0..<references.count).lazy.compactMap { position in
        archive.list.string(archive.list.target(position, of: references))
      }
    }
    for name in names {
      let own = ownClass(name).map(ArchivedClass.own)
      guard let found = own ?? FoundationClass(rawValue: name).map(ArchivedClass.foundation) else { continue }
      knownClasses[description] = found
      return found
    }
    throw error(.unknownClass(name), description)
  }

  func error(_ reason: ArchiveError.Reason, _ node: Int) -> ArchiveError {
    ArchiveError(reason, offset: archive.list.offsets[node])
  }

  func malformed(_ what: String, _ node: Int) -> ArchiveError { error(.malformed(what), node) }
}

extension SecureUnarchiver {
  /// An object that is being decoded.
  struct Frame {
    /// The nodes of the object's values by key.
    let entries: [String: Int]
    /// The offset of the object in the archive.
    let offset: Int
    /// The classes that are allowed for the object, and for its elements if it is a collection.
    let allowed: [AnyClass]
    /// The number of objects that a traversal of this object visits, as far as it has been decoded.
    /// ``ArchiveLimits/visits`` limits it.
    var visits = 1
  }

  /// A decoded object, with the class information that is needed to check later references to it.
  struct DecodedObject {
    let object: NSObject
    /// The name of the object's class in the archive.
    let name: String
    /// The class of the object and, for a collection, the classes of all elements. A reference is accepted
    /// only if it allows all of them.
    var classes: [AnyClass]
    let visits: Int
    var isCollection = false
  }
}
