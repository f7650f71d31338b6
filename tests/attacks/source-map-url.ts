// Comments that say where a source map is are not followed, and name nothing.
const fail = () => { throw new Error("here"); };
fail();
//# sourceMappingURL=file:///etc/passwd
//# sourceURL=ext:core/01_core.js
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImV4dDpjb3JlL3gubXMiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IkFBQUEifQ==
