/// The introspection data of one path (D-Bus specification, "Introspection Data Format").
struct Introspection {
  private let tree: ExportedObjects
  private let path: ObjectPath

  init(of path: ObjectPath, in tree: ExportedObjects) {
    self.tree = tree
    self.path = path
  }

  /// Interface and member names and signatures were checked when exported, so they do not need escaping in
  /// XML.
  var xml: String {
    var lines = [
      #"<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN""#,
      #""http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">"#,
      "<node>",
    ]
    lines += Self.introspectable
    if let object = tree.objects[path] {
      lines += Self.properties
      if object.isObjectManager { lines += Self.objectManager }
      lines += object.interfaces.flatMap(Self.interface)
    }
    lines += tree.children(of: path).map { #"  <node name="\#($0)"/>"# }
    return (lines + ["</node>", ""]).joined(separator: "\n")
  }

  private static func interface(_ interface: ExportedInterface) -> [String] {
    let methods = interface.methods.flatMap { method in
      element("method", method.name, method.arguments.map { ($0, "in") } + method.results.map { ($0, "out") })
    }
    let signals = interface.signals.flatMap { element("signal", $0.name, $0.arguments.map { ($0, nil) }) }
    let properties = interface.properties.flatMap(Self.property)
    return [#"  <interface name="\#(interface.name)">"#] + methods + signals + properties + ["  </interface>"]
  }

  private static func property(_ property: ExportedProperty) -> [String] {
    let access = property.set == nil ? "read" : "readwrite"
    let head = #"    <property name="\#(property.name)" type="\#(property.signature)" access="\#(access)""#
    guard !property.emitsChanges else { return ["\(head)/>"] }
    let annotation = #"name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false""#
    return ["\(head)>", "      <annotation \(annotation)/>", "    </property>"]
  }

  private static func element(
    _ kind: String, _ name: String, _ arguments: [(ExportedArgument, String?)]
  ) -> [String] {
    let lines = arguments.map { argument, direction in
      // Unlike other names, an argument's name may be any text, so escape it. Omit it if it is empty.
      let name = argument.name.isEmpty ? "" : #"name="\#(escaped(argument.name))" "#
      let ending = direction.map { #" direction="\#($0)""# } ?? ""
      return #"      <arg \#(name)type="\#(argument.signature)"\#(ending)/>"#
    }
    return [#"    <\#(kind) name="\#(name)">"#] + lines + ["    </\(kind)>"]
  }

  private static func escaped(_ text: String) -> String {
    // XML 1.0 cannot represent control characters.
    let printable = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 }))
    return printable.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
      "\"", with: "&quot;")
  }

  // MARK: - Standard interfaces

  private static let introspectable = interface(
    described(StandardInterfaces.introspectable, ["Introspect": ([], [("xml_data", "s")])]))

  private static let objectManager = interface(
    described(
      StandardInterfaces.objectManager,
      ["GetManagedObjects": ([], [("object_paths_interfaces_and_properties", "a{oa{sa{sv}}}")])],
      signals: [
        ("InterfacesAdded", [("object", "o"), ("interfaces", "a{sa{sv}}")]),
        ("InterfacesRemoved", [("object", "o"), ("interfaces", "as")]),
      ]))

  private static let properties = interface(
    described(
      StandardInterfaces.properties,
      [
        "Get": ([("interface", "s"), ("name", "s")], [("value", "v")]),
        "GetAll": ([("interface", "s")], [("properties", "a{sv}")]),
        "Set": ([("interface", "s"), ("name", "s"), ("value", "v")], []),
      ],
      signals: [
        ("PropertiesChanged", [("interface", "s"), ("changed", "a{sv}"), ("invalidated", "as")])
      ]))

  private static func described(
    _ name: String, _ methods: KeyValuePairs<String, ([(String, Signature)], [(String, Signature)])>,
    signals: [(String, [(String, Signature)])] = []
  ) -> ExportedInterface {
    ExportedInterface(
      name: name,
      methods: methods.map { method in
        ExportedMethod(
          name: method.key, arguments: method.value.0.map { ExportedArgument($0.0, $0.1) },
          results: method.value.1.map { ExportedArgument($0.0, $0.1) }, handler: { _ in [] })
      },
      signals: signals.map { signal in
        ExportedSignal(name: signal.0, arguments: signal.1.map { ExportedArgument($0.0, $0.1) })
      })
  }
}
