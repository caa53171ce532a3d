/// The interfaces that the connection answers for every object. D-Bus specification, "Standard Interfaces".
enum StandardInterfaces {
  static let introspectable = "org.freedesktop.DBus.Introspectable"
  static let properties = "org.freedesktop.DBus.Properties"
  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  /// This one is answered wherever there is a path, objects or not (`PeerMethods`).
  static let peer = "org.freedesktop.DBus.Peer"

  static let names: Set<String> = [introspectable, properties, objectManager, peer]

}
