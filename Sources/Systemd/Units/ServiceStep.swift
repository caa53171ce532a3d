internal import Foundation

/// One thing that is done to enable or disable a service: first said, then done.
public enum ServiceStep: Hashable, Sendable {
  /// Writes a file, with the mode that systemd wants of units; what is there is replaced.
  case write(path: String, text: String, replaces: Bool)
  /// Removes a file that was written here.
  case remove(path: String)
  /// Has a folder in an image be there, for its owner alone.
  case makeFolder(ImageFolder)
  /// Runs a program of the system.
  case run([String])

  /// What it does, as a line for the user; commands as they can be given.
  public var sentence: String {
    switch self {
    case .write(let path, _, let replaces): "\(replaces ? "replaces" : "writes") \(path)"
    case .remove(let path): "removes \(path)"
    case .makeFolder(let folder): "makes \(folder.image)\(folder.path), for \(folder.owner.name)"
    case .run(let command): "runs " + command.joined(separator: " ")
    }
  }

  /// - Throws: ``ServiceRefusal``.
  public func perform() throws {
    switch self {
    case .write(let path, let text, _): try Self.write(text, path)
    case .remove(let path): try Self.remove(path)
    case .makeFolder(let folder): try folder.make()
    case .run(let command):
      let outcome = try SystemProgram.run(command)
      guard outcome.status == 0 else {
        throw ServiceRefusal("\(command.joined(separator: " ")): \(outcome.complaint)")
      }
    }
  }

  var changesFile: Bool {
    switch self {
    case .write, .remove: true
    case .makeFolder, .run: false
    }
  }

  private static func write(_ text: String, _ path: String) throws {
    let file = URL(filePath: path)
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file, options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    } catch {
      throw ServiceRefusal("\(path) cannot be written: \(error.localizedDescription)")
    }
  }

  private static func remove(_ path: String) throws {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw ServiceRefusal("\(path) cannot be removed: \(String(cString: strerror(errno)))")
    }
    // Its folder was made for it; one that holds more stays.
    rmdir(URL(filePath: path).deletingLastPathComponent().path)
  }
}

/// Why a service cannot be enabled, disabled or asked for, with the remedy.
public struct ServiceRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }
}
