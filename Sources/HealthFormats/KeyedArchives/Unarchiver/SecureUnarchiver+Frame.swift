internal import Foundation

extension SecureUnarchiver {
  /// An object that is being decoded.
  struct Frame {
    /// Its values, as nodes.
    let entries: [String: Int]
    /// Where it is in the archive.
    let offset: Int
    /// The classes with which it was asked for; the elements of a collection may have these.
    let allowed: [AnyClass]
    /// How many objects are met on a walk through it, so far.
    var visits = 1
  }

  struct DecodedObject {
    let object: NSObject
    /// The name of its class in the archive.
    let name: String
    /// Its class and, if it is a collection, those of all that is in it: whoever asks for it must expect each
    /// of them.
    var classes: [AnyClass]
    let visits: Int
    var isCollection = false
  }
}
