internal import Glibc

/// A folder in the image of a machine that does not run, of one of its users.
///
/// Made as that user would make it: where the folder above is theirs. No link is followed: in an image it may
/// lead into this machine.
public struct ImageFolder: Hashable, Sendable {
  /// The image's root directory.
  public var image: String
  /// As the image has it.
  public var path: String
  public var owner: ServiceOwner

  public init(image: String, path: String, owner: ServiceOwner) {
    self.image = image
    self.path = path
    self.owner = owner
  }

  /// Makes what is missing of it, for its owner alone.
  ///
  /// - Throws: ``ServiceRefusal``.
  public func make() throws(ServiceRefusal) {
    var folder = try opened(AT_FDCWD, image, image)
    defer { close(folder) }
    var place = image
    for name in path.split(separator: "/").map(String.init) {
      let above = place
      place += "/\(name)"
      guard name != "..", name != "." else { throw ServiceRefusal("\(path) is no path of a folder in full") }
      if mkdirat(folder, name, 0o700) == 0 {
        try give(name, in: folder, above)
      } else if errno != EEXIST {
        throw refusal("cannot be made", place)
      }
      let next = try opened(folder, name, place)
      close(folder)
      folder = next
    }
  }

  /// What was made is the owner's, where they could have made it.
  private func give(_ name: String, in folder: Int32, _ above: String) throws(ServiceRefusal) {
    var status = stat()
    guard fstat(folder, &status) == 0, status.st_uid == owner.number else {
      unlinkat(folder, name, AT_REMOVEDIR)
      throw ServiceRefusal(
        "\(above)/\(name) is not there, and \(owner.name) could not make it: make it in the image first, for \(owner.name)"
      )
    }
    guard fchownat(folder, name, owner.number, owner.group, AT_SYMLINK_NOFOLLOW) == 0 else {
      let refusal = refusal("cannot be given to \(owner.name)", "\(above)/\(name)")
      unlinkat(folder, name, AT_REMOVEDIR)
      throw refusal
    }
  }

  private func opened(_ folder: Int32, _ name: String, _ place: String) throws(ServiceRefusal) -> Int32 {
    let follows = folder == AT_FDCWD ? 0 : O_NOFOLLOW
    let descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | follows)
    guard descriptor >= 0 else {
      let isLink = follows != 0 && [ELOOP, ENOTDIR].contains(errno)
      throw isLink
        ? ServiceRefusal("\(place) is a link, or no folder: links in an image are not followed")
        : refusal("cannot be opened", place)
    }
    return descriptor
  }

  private func refusal(_ what: String, _ place: String) -> ServiceRefusal {
    ServiceRefusal("\(place) \(what): \(String(cString: strerror(errno)))")
  }
}
