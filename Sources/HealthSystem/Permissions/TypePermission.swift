/// What the user decided on a type for an application. nil is undecided.
package struct TypePermission: Hashable, Sendable {
  package let bundleIdentifier: String
  package let applicationName: String
  /// The identifier of an object type.
  package let type: String
  package let share: Bool?
  package let read: Bool?
  /// How many objects of the type the application may read one by one.
  package let objects: Int
}
